import type { RecordFacts } from "../facts.ts";
import { compileRest, type Rest, type RestInTime } from "./rest-in-time.ts";
import type { Action, RuleSpec } from "../spec.ts";
import { toSubject, type Subject } from "../subject.ts";

/** A rule with its condition compiled; `ignoreAfter` is infinite where it has none. */
export interface RuleInTime {
  readonly when: RuleSpec["when"];
  readonly then: Action;
  readonly ignoreAfter: number;
  readonly holds: (subject: Subject) => boolean;
}

/** A rule that decides now or may decide later. */
interface Open {
  readonly then: Action;
  readonly until: number;
  readonly rest: true | RestInTime;
}

/** A document with more turns than this for one record is asked again at the last of them. */
const mostTurns = 500;

/**
 * For a record that the rules hold now: the first moment (Unix ms) at which time alone makes them say something else than
 * `hold`; null when it never does. Rules whose other conditions do not hold for the record do not count.
 */
export function compileHoldsUntil(
  rules: readonly RuleInTime[],
  otherwise: Action,
): (facts: RecordFacts) => number | null {
  const compiled = rules.map(({ when, then, ignoreAfter, holds }) => ({
    then,
    ignoreAfter,
    toRest: compileRest(when, holds),
  }));
  return (facts) => {
    const subject = toSubject(facts);
    const open: Open[] = [];
    for (const { then, ignoreAfter, toRest } of compiled) {
      if (facts.now > ignoreAfter) continue;
      const rest: Rest = toRest(subject, facts);
      if (rest === false) continue;
      open.push({ then, until: ignoreAfter, rest });
      // Nothing below it is ever reached.
      if (rest === true && ignoreAfter === Infinity) break;
    }
    return firstOther(open, otherwise, facts.now);
  };
}

function firstOther(open: readonly Open[], otherwise: Action, now: number): number | null {
  if (otherwise === "hold" && open.every(({ then }) => then === "hold")) return null;
  const turns = new Set<number>();
  for (const { until, rest } of open) {
    turns.add(until + 1);
    if (rest !== true) for (const turn of rest.turns) turns.add(turn);
  }
  const ahead = [...turns].filter((turn) => turn > now && Number.isFinite(turn)).toSorted((a, b) => a - b);
  for (const [index, at] of ahead.entries()) {
    if (index === mostTurns) return at;
    const decides = open.find(({ until, rest }) => at <= until && (rest === true || rest.holdsAt(at)));
    if ((decides?.then ?? otherwise) !== "hold") return at;
  }
  return null;
}
