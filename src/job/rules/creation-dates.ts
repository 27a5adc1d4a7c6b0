import { firstPlausibleAt, lastPlausibleAt } from "../message/plausible-dates.ts";
import type { RecordFacts } from "./record-facts.ts";
import { leavesOf, type RuleSpec } from "./rule-spec.ts";

/**
 * Lists plausible dates of creation (Unix ms): the first, the last, and those on both sides of each moment at
 * which a rule about the message's age or date changes its answer. Empty if no rule asks for either.
 */
export function compileCreationDates(rules: readonly RuleSpec[]): (facts: RecordFacts) => readonly number[] {
  const ranges = rules.flatMap(({ when }) =>
    leavesOf(when).flatMap((leaf) => {
      const isAge = leaf.kind === "duration" && leaf.field === "messageAge";
      if (!isAge && !(leaf.kind === "number" && leaf.field === "createdAt")) return [];
      return leaf.oneOf.flatMap((one) =>
        one.kind === "range" ? [{ isAge, from: one.from, to: one.to }] : [],
      );
    }),
  );
  if (ranges.length === 0) return () => [];
  return ({ now, letter }) => {
    const last = lastPlausibleAt(letter.enteredAt);
    const ends = ranges.flatMap(({ isAge, from, to }) => (isAge ? [now - from, now - to] : [from, to]));
    const dates = ends.flatMap((end) => [end - 1, end, end + 1]);
    return [firstPlausibleAt, last, ...dates.filter((at) => at > firstPlausibleAt && at < last)];
  };
}
