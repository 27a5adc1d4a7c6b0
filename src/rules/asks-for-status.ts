import type { Condition, RuleSpec } from "./spec.ts";

/** Whether the rule of that name names this response status itself, not by a range or class that happens to hold it. */
export function asksForStatus(rules: readonly RuleSpec[], name: string | null, status: number): boolean {
  const rule = rules.find((candidate) => candidate.name === name);
  return rule !== undefined && names(rule.when, status);
}

function names(condition: Condition, status: number): boolean {
  switch (condition.kind) {
    case "all":
    case "some":
      return condition.of.some((inner) => names(inner, status));
    case "number":
      return (
        condition.field === "responseStatus" &&
        condition.oneOf.some(
          (pattern) => pattern.kind === "range" && pattern.from === status && pattern.to === status,
        )
      );
    case "not":
    case "any":
    case "text":
    case "header":
    case "duration":
    case "address":
    case "value":
      return false;
  }
}
