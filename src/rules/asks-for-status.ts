import type { Condition, RuleSpec } from "./spec.ts";

/**
 * True if the rule of that name names this response status itself, not by a range or class that includes it.
 */
export function asksForStatus(rules: readonly RuleSpec[], name: string | null, status: number): boolean {
  const rule = rules.find((candidate) => candidate.name === name);
  return rule !== undefined && names(rule.when, status);
}

function names(condition: Condition, status: number): boolean {
  if (condition.kind === "all" || condition.kind === "some") {
    return condition.of.some((inner) => names(inner, status));
  }
  return (
    condition.kind === "number" &&
    condition.field === "responseStatus" &&
    condition.oneOf.some(
      (pattern) => pattern.kind === "range" && pattern.from === status && pattern.to === status,
    )
  );
}
