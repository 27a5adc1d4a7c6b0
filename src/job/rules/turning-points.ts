import type { RecordFacts } from "./record-facts.ts";
import { leavesOf, type DurationField, type RuleSpec } from "./rule-spec.ts";

/** Moments (Unix ms, ascending) after `facts.now` at which time alone can change these rules' decision. */
export function compileTurningPoints(rules: readonly RuleSpec[]): (facts: RecordFacts) => readonly number[] {
  const ranges = rules
    .flatMap(({ when }) => leavesOf(when))
    .filter((leaf) => leaf.kind === "duration")
    .flatMap(({ field, oneOf }) =>
      oneOf.filter((pattern) => pattern.kind === "range").map((range) => ({ field, ...range })),
    );
  const afterIgnored = rules.flatMap(({ ignoreAfter }) =>
    ignoreAfter === undefined ? [] : [ignoreAfter + 1],
  );
  return (facts) => {
    const moments = [
      ...afterIgnored,
      ...ranges.flatMap(({ field, from, to }) => endsOf(field, from, to, facts)),
    ];
    const ahead = moments.filter((at) => at > facts.now && Number.isFinite(at));
    return [...new Set(ahead)].toSorted((one, other) => one - other);
  };
}

/** When the field enters the range, and when it has just left it. Times are whole milliseconds. */
function endsOf(
  field: DurationField,
  from: number,
  to: number,
  { letter, rootCreatedAt, expiresAt }: RecordFacts,
): readonly [number, number] {
  switch (field) {
    case "age":
      return [letter.enteredAt + from, letter.enteredAt + to + 1];
    case "messageAge":
      return [rootCreatedAt + from, rootCreatedAt + to + 1];
    // The time left shrinks, so the range is entered at its upper end.
    case "timeLeft":
      return [expiresAt - to, expiresAt - from + 1];
  }
}
