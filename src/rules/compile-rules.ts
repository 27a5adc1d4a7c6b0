import { compileCondition } from "./compile-condition.ts";
import type { Routing } from "./decision.ts";
import type { RecordFacts, Router } from "./facts.ts";
import { compileHoldsUntil } from "./lint/holds-until.ts";
import type { RuleSpec } from "./spec.ts";
import { toSubject } from "./subject.ts";

/**
 * Compiles a rule list: rules are asked from the top, the first that holds decides, and if none does, `otherwise` decides.
 * A rule is skipped when facts.now is past its ignoreAfter. The router is pure and total.
 */
export function compileRules(rules: readonly RuleSpec[], otherwise: "hold" | "park"): Router {
  const compiled = rules.map((rule) => ({
    when: rule.when,
    then: rule.then,
    ignoreAfter: rule.ignoreAfter ?? Number.POSITIVE_INFINITY,
    holds: compileCondition(rule.when),
    routing: { then: rule.then, rule: rule.name, set: rule.set ?? {} } satisfies Routing,
  }));
  const fallback: Routing = { then: otherwise, rule: null, set: {} };
  const route = (facts: RecordFacts): Routing => {
    const subject = toSubject(facts);
    for (const rule of compiled) {
      if (facts.now <= rule.ignoreAfter && rule.holds(subject)) return rule.routing;
    }
    return fallback;
  };
  return Object.assign(route, { holdsUntil: compileHoldsUntil(compiled, otherwise) });
}
