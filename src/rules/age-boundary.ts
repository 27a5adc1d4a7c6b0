import type { RecordFacts } from "./facts.ts";
import type { Condition, DurationField, RuleSpec } from "./spec.ts";

/**
 * The next moment (Unix ms) at which a condition on age or time left may turn, so that a held record is looked at again
 * then; null when no rule asks for a moment that is still to come.
 */
export function nextAgeBoundary(rules: readonly RuleSpec[], facts: RecordFacts): number | null {
  let next = Number.POSITIVE_INFINITY;
  for (const { field, spanMs } of rules.flatMap((rule) => boundariesOf(rule.when))) {
    // One more millisecond, so that an exclusive bound has been passed too.
    const at = momentOf(field, spanMs, facts) + 1;
    if (at > facts.now) next = Math.min(next, at);
  }
  return Number.isFinite(next) ? next : null;
}

/** When the field has this value. An age grows, the time that is left shrinks. */
function momentOf(field: DurationField, spanMs: number, facts: RecordFacts): number {
  switch (field) {
    case "age":
      return facts.letter.enteredAt + spanMs;
    case "messageAge":
      return facts.rootCreatedAt + spanMs;
    case "timeLeft":
      return facts.expiresAt - spanMs;
  }
}

function boundariesOf(condition: Condition): { field: DurationField; spanMs: number }[] {
  switch (condition.kind) {
    case "all":
    case "some":
      return condition.of.flatMap(boundariesOf);
    case "not":
      return boundariesOf(condition.of);
    case "duration":
      return condition.oneOf
        .flatMap((pattern) => (pattern.kind === "range" ? [pattern.from, pattern.to] : []))
        .filter(Number.isFinite)
        .map((spanMs) => ({ field: condition.field, spanMs }));
    case "any":
    case "text":
    case "header":
    case "number":
    case "address":
    case "value":
      return [];
  }
}
