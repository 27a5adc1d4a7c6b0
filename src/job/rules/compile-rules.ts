import { defined } from "../message/defined.ts";
import { isPlausibleCreation } from "../message/plausible-dates.ts";
import { compileCondition } from "./compile-condition.ts";
import { compileCreationDates } from "./creation-dates.ts";
import type { Routing, Router } from "./decision.ts";
import type { RecordFacts } from "./record-facts.ts";
import { comparedBy, leavesOf, type RuleSpec } from "./rule-spec.ts";
import { Subject } from "./subject.ts";
import { compileTurningPoints } from "./turning-points.ts";

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

  const onlyHolds = otherwise === "hold" && rules.every(({ then }) => then === "hold");
  const toTurningPoints = compileTurningPoints(onlyHolds ? [] : rules);
  const heldUntil = (facts: RecordFacts): number | null => {
    const subject = new Subject(facts);
    const timeless = new Map<CompiledRule, boolean>();
    for (const [index, at] of toTurningPoints(facts).entries()) {
      subject.moveTo(at);
      if (index === maxTurningPoints || decide(at, subject, timeless).then !== "hold") return at;
    }
    return null;
  };

  const toCreationDates = compileCreationDates(rules);
  const restsOnBadDate = (facts: RecordFacts, { then }: Routing): boolean => {
    const { letter, rootCreatedAt } = facts;
    const isRootBad = !isPlausibleCreation(rootCreatedAt, letter.enteredAt);
    // Who asks for such a date by itself means it, but for a drop.
    const isOwnBad = then === "drop" && !isPlausibleCreation(letter.createdAt, letter.enteredAt);
    if (!isRootBad && !isOwnBad) return false;
    return toCreationDates(facts).some((at) => {
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
