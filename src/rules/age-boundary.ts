import type { RecordFacts } from "./facts.ts";
import type { Condition, DurationField, RuleSpec } from "./spec.ts";

/**
 * The next moment (Unix ms) at which a condition on age may turn, so that a held record is looked at again then; null when
 * no rule asks for an age that is still to come.
 */
export function nextAgeBoundary(rules: readonly RuleSpec[], facts: RecordFacts): number | null {
  let next = Number.POSITIVE_INFINITY;
  for (const { field, ageMs } of rules.flatMap((rule) => boundariesOf(rule.when))) {
    // One more millisecond, so that an exclusive bound has been passed too.
    const at = bornAt(field, facts) + ageMs + 1;
    if (at > facts.now) next = Math.min(next, at);
  }
  return Number.isFinite(next) ? next : null;
}

function bornAt(field: DurationField, facts: RecordFacts): number {
  switch (field) {
    case "age":
      return facts.letter.enteredAt;
    case "messageAge":
      return facts.rootCreatedAt;
  }
}

function boundariesOf(condition: Condition): { field: DurationField; ageMs: number }[] {
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
        .map((ageMs) => ({ field: condition.field, ageMs }));
    case "any":
    case "text":
    case "header":
    case "number":
      return [];
  }
}
