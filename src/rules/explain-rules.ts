import { compileCondition } from "./compile-condition.ts";
import type { Routing } from "./decision.ts";
import { describeActual, describeCondition } from "./describe-condition.ts";
import { momentText } from "./document-form.ts";
import type { RecordFacts } from "./facts.ts";
import type { Condition, RuleSpec } from "./spec.ts";
import { Subject } from "./subject.ts";

/** The result of one rule. `ignored`: its ignoreAfter has passed; `not-reached`: a rule above decided. */
export interface RuleStep {
  readonly rule: string;
  readonly outcome: "held" | "failed" | "ignored" | "not-reached";
  /** In words; for `failed` the first sub-condition that did not match, and the record's value for it. */
  readonly why: string;
}

export interface RulesExplanation {
  readonly steps: readonly RuleStep[];
  /** Equal to the compiled router's answer for the same facts. */
  readonly routing: Routing;
}

/** Walks the rules for a person. Names no header values, URLs or bodies of the record. */
export function explainRules(
  rules: readonly RuleSpec[],
  otherwise: "hold" | "park",
  facts: RecordFacts,
): RulesExplanation {
  const subject = new Subject(facts);
  let decided: RuleSpec | null = null;
  const steps = rules.map((rule): RuleStep => {
    if (decided !== null)
      return { rule: rule.name, outcome: "not-reached", why: `rule "${decided.name}" decided` };
    if (rule.ignoreAfter !== undefined && facts.now > rule.ignoreAfter) {
      const date = momentText(rule.ignoreAfter);
      return { rule: rule.name, outcome: "ignored", why: `ignored after ${date}` };
    }
    const miss = firstMiss(rule.when, subject);
    if (miss !== null) return { rule: rule.name, outcome: "failed", why: miss };
    decided = rule;
    return { rule: rule.name, outcome: "held", why: describeCondition(rule.when) };
  });
  // Assigned in a callback, which the compiler does not follow.
  const deciding = decided as RuleSpec | null;
  return {
    steps,
    routing:
      deciding === null
        ? { then: otherwise, rule: null, set: {} }
        : { then: deciding.then, rule: deciding.name, set: deciding.set ?? {} },
  };
}

/** The first sub-condition that does not match, in words; null if the condition matches. */
function firstMiss(condition: Condition, subject: Subject): string | null {
  if (compileCondition(condition)(subject)) return null;
  switch (condition.kind) {
    case "any":
      return null;
    case "all":
      return condition.of.reduce<string | null>((miss, inner) => miss ?? firstMiss(inner, subject), null);
    case "some":
      return `none of (${condition.of.map((inner) => firstMiss(inner, subject)).join("; ")})`;
    case "not":
      return `${describeCondition(condition)}, but that matches`;
    case "text":
    case "header":
    case "number":
    case "duration":
    case "address":
    case "value":
      return `${describeCondition(condition)}, but the record has ${describeActual(condition, subject)}`;
  }
}
