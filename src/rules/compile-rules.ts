import { compileTexts, matchesNumber } from "./compile-patterns.ts";
import type { Routing } from "./decision.ts";
import type { Router } from "./facts.ts";
import type { Condition, RuleSpec } from "./spec.ts";
import { toSubject, type Subject } from "./subject.ts";

/**
 * Compiles a rule list: rules are asked from the top, the first that holds decides, and if none does, `otherwise` decides.
 * A rule is skipped when facts.now is past its ignoreAfter. The router is pure and total.
 */
export function compileRules(rules: readonly RuleSpec[], otherwise: "hold" | "park"): Router {
  const compiled = rules.map((rule) => ({
    ignoreAfter: rule.ignoreAfter ?? Number.POSITIVE_INFINITY,
    holds: compileCondition(rule.when),
    routing: { then: rule.then, rule: rule.name, set: rule.set ?? {} } satisfies Routing,
  }));
  const fallback: Routing = { then: otherwise, rule: null, set: {} };
  return (facts) => {
    const subject = toSubject(facts);
    const first = compiled.find((rule) => facts.now <= rule.ignoreAfter && rule.holds(subject));
    return first?.routing ?? fallback;
  };
}

export function compileCondition(condition: Condition): (subject: Subject) => boolean {
  switch (condition.kind) {
    case "any":
      return () => true;
    case "all": {
      const tests = condition.of.map(compileCondition);
      return (subject) => tests.every((holds) => holds(subject));
    }
    case "some": {
      const tests = condition.of.map(compileCondition);
      return (subject) => tests.some((holds) => holds(subject));
    }
    case "not": {
      const holds = compileCondition(condition.of);
      return (subject) => !holds(subject);
    }
    case "text": {
      const matches = compileTexts(condition.oneOf, condition.field);
      return (subject) => matches(subject.texts(condition.field));
    }
    case "header": {
      const matches = compileTexts(condition.oneOf);
      return (subject) => matches(subject.header(condition.name));
    }
    case "number":
      return (subject) => matchesNumber(condition.oneOf, subject.number(condition.field));
    case "duration":
      return (subject) => matchesNumber(condition.oneOf, subject.durationMs(condition.field));
  }
}
