import { defined } from "../message/defined.ts";
import { firstPlausibleAt, isPlausibleCreation, lastPlausibleAt } from "../message/plausible-dates.ts";
import { compileCondition } from "./compile-condition.ts";
import type { Router, Routing } from "./decision.ts";
import type { RecordFacts } from "./record-facts.ts";
import { comparedBy, leavesOf, type RuleSpec } from "./rule-spec.ts";
import { Subject } from "./subject.ts";

/** A record with more turning points than this is decided again at the last one. */
const maxTurningPoints = 200;

/** The first rule that matches decides; if none does, `otherwise`. A rule past its ignoreAfter is skipped. */
export function compileRules(rules: readonly RuleSpec[], otherwise: "hold" | "park"): Router {
  const compiled = rules.map((rule) => ({
    ignoreAfter: rule.ignoreAfter ?? Number.POSITIVE_INFINITY,
    isTimed: leavesOf(rule.when).some(({ kind }) => kind === "duration"),
    matches: compileCondition(rule.when),
    routing: {
      then: rule.then,
      rule: rule.name,
      set: rule.set ?? {},
      ...defined({ via: rule.via }),
    } satisfies Routing,
  }));
  type CompiledRule = (typeof compiled)[number];
  const fallback: Routing = { then: otherwise, rule: null, set: {} };
  // `timeless`: what rules without ages have answered. Time changes nothing about them.
  const decide = (now: number, subject: Subject, timeless?: Map<CompiledRule, boolean>): Routing => {
    for (const rule of compiled) {
      if (now > rule.ignoreAfter) continue;
      const isMatch = timeless?.get(rule) ?? rule.matches(subject);
      if (!rule.isTimed) timeless?.set(rule, isMatch);
      if (isMatch) return rule.routing;
    }
    return fallback;
  };
  const route = (facts: RecordFacts): Routing => decide(facts.now, new Subject(facts));

  const ranges = rules.flatMap(({ when }) => rangesIn(when));
  const ignored = rules.flatMap(({ ignoreAfter: at }) => (at === undefined ? [] : [at + 1]));
  const onlyHolds = otherwise === "hold" && rules.every(({ then }) => then === "hold");
  const heldUntil = (facts: RecordFacts): number | null => {
    if (onlyHolds) return null;
    const subject = new Subject(facts);
    const timeless = new Map<CompiledRule, boolean>();
    for (const [index, at] of turningPointsOf(ignored, ranges, facts).entries()) {
      subject.moveTo(at);
      if (index === maxTurningPoints || decide(at, subject, timeless).then !== "hold") return at;
    }
    return null;
  };

  const restsOnBadDate = (facts: RecordFacts, { then }: Routing): boolean => {
    const { letter, rootCreatedAt } = facts;
    const isRootBad = !isPlausibleCreation(rootCreatedAt, letter.enteredAt);
    // Who asks for such a date by itself means it, but for a drop.
    const isOwnBad = then === "drop" && !isPlausibleCreation(letter.createdAt, letter.enteredAt);
    if (!isRootBad && !isOwnBad) return false;
    return creationDatesOf(ranges, facts).some((at) => {
      const rootAt = isRootBad ? at : rootCreatedAt;
      const one = isOwnBad ? { ...letter, createdAt: at } : letter;
      return route({ ...facts, letter: one, rootCreatedAt: rootAt }).then !== then;
    });
  };

  const comparesBy = [...new Set(rules.flatMap(({ when }) => comparedBy(when)))];
  const supersededBy: Router["supersededBy"] = (facts, name) => {
    if (comparesBy.length === 0) return null;
    const when = rules.find((rule) => rule.name === name)?.when;
    const subject = new Subject(facts);
    const newer = when === undefined ? [] : comparedBy(when).map((pointer) => subject.newer(pointer));
    return newer.find((one) => one !== null) ?? null;
  };
  const restsOnNewer: Router["restsOnNewer"] = (facts, { rule }) =>
    comparesBy.length > 0 &&
    facts.newer === undefined &&
    route({ ...facts, newer: (dlqId) => dlqId }).rule !== rule;
  return Object.assign(route, { heldUntil, restsOnBadDate, comparesBy, supersededBy, restsOnNewer });
}

type TimeRange = ReturnType<typeof rangesIn>[number];

/** What a condition asks about ages, and about the date of creation. */
function rangesIn(when: RuleSpec["when"]) {
  return leavesOf(when).flatMap((leaf) => {
    if (leaf.kind !== "duration" && (leaf.kind !== "number" || leaf.field !== "createdAt")) return [];
    const { field } = leaf;
    return leaf.oneOf.flatMap((one) => (one.kind === "range" ? [{ field, from: one.from, to: one.to }] : []));
  });
}

/** Moments (Unix ms, ascending) after `facts.now` at which time alone can change these rules' decision. */
function turningPointsOf(
  ignored: readonly number[],
  ranges: readonly TimeRange[],
  facts: RecordFacts,
): readonly number[] {
  const moments = [...ignored, ...ranges.flatMap((range) => endsOf(range, facts))];
  const ahead = moments.filter((at) => at > facts.now && Number.isFinite(at));
  return [...new Set(ahead)].toSorted((one, other) => one - other);
}

/** When the field enters the range, and when it has just left it. Times are whole milliseconds. */
function endsOf({ field, from, to }: TimeRange, facts: RecordFacts): readonly number[] {
  const { letter, rootCreatedAt, expiresAt } = facts;
  if (field === "age") return [letter.enteredAt + from, letter.enteredAt + to + 1];
  if (field === "messageAge") return [rootCreatedAt + from, rootCreatedAt + to + 1];
  // The time left shrinks, so the range is entered at its upper end.
  return field === "timeLeft" ? [expiresAt - to, expiresAt - from + 1] : [];
}

/**
 * Plausible dates of creation (Unix ms): the first, the last, and those on both sides of each moment at which a
 * rule about the message's age or date changes its answer. Empty if no rule asks for either.
 */
function creationDatesOf(ranges: readonly TimeRange[], { now, letter }: RecordFacts): readonly number[] {
  const ends = ranges.flatMap(({ field, from, to }) => {
    if (field === "createdAt") return [from, to];
    return field === "messageAge" ? [now - from, now - to] : [];
  });
  if (ends.length === 0) return [];
  const last = lastPlausibleAt(letter.enteredAt);
  const dates = ends.flatMap((end) => [end - 1, end, end + 1]);
  return [firstPlausibleAt, last, ...dates.filter((at) => at > firstPlausibleAt && at < last)];
}
