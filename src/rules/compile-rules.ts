import { compileCondition } from "./compile-condition.ts";
import type { Routing } from "./decision.ts";
import type { RecordFacts, Router } from "./facts.ts";
import type { RuleSpec } from "./spec.ts";
import { toSubject, type Subject } from "./subject.ts";
import { compileTurningPoints } from "./turning-points.ts";

/** A record with more turning points than this is asked again at the last of them. */
const maxTurningPoints = 200;

/**
 * Compiles a rule list: rules are asked from the top, the first that matches decides, and if none does,
 * `otherwise` decides. A rule is skipped when facts.now is past its ignoreAfter. The router is pure and
 * total.
 */
export function compileRules(rules: readonly RuleSpec[], otherwise: "hold" | "park"): Router {
  const compiled = rules.map((rule) => ({
    ignoreAfter: rule.ignoreAfter ?? Number.POSITIVE_INFINITY,
    matches: compileCondition(rule.when),
    routing: { then: rule.then, rule: rule.name, set: rule.set ?? {} } satisfies Routing,
  }));
  const fallback: Routing = { then: otherwise, rule: null, set: {} };
  const decide = (subject: Subject, now: number): Routing => {
    for (const rule of compiled) {
      if (now <= rule.ignoreAfter && rule.matches(subject)) return rule.routing;
    }
    return fallback;
  };

  const onlyHolds = otherwise === "hold" && rules.every(({ then }) => then === "hold");
  const toTurningPoints = compileTurningPoints(onlyHolds ? [] : rules);
  const heldUntil = (facts: RecordFacts): number | null => {
    const subject = toSubject(facts);
    for (const [index, at] of toTurningPoints(facts).entries()) {
      subject.moveTo(at);
      if (index === maxTurningPoints || decide(subject, at).then !== "hold") return at;
    }
    return null;
  };
  return Object.assign((facts: RecordFacts) => decide(toSubject(facts), facts.now), { heldUntil });
}
