import { draws, type Act, type Draw } from "./acts.ts";
import { createDice } from "../rig/dice.ts";

export interface PlanOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** How long nothing is broken between two storms. */
  readonly calmMs: number;
  readonly daemons: number;
}

/** At so many ms since the start. */
export type PlannedAct = Act & { readonly at: number };

export interface Plan {
  readonly acts: readonly PlannedAct[];
  /** Times in which acts are under way, ms since the start. */
  readonly storms: readonly { readonly from: number; readonly to: number }[];
}

const stormMs = [35_000, 65_000] as const;
const betweenActsMs = [200, 1_600] as const;
/** What is shorter at the end belongs to the storm before it. */
const leastStormMs = 15_000;
/** Between two acts that may not meet: what the first began has ended, and something else can begin. */
const gapMs = 2_000;

/**
 * Storms and calms, and what is broken when: a pure function of its options. Every kind comes once before any
 * comes again; acts that have something to themselves never overlap, and all end with their storm.
 */
export function toPlan({ seed, durationMs, calmMs, daemons }: PlanOptions): Plan {
  const dice = createDice(seed);
  const acts: PlannedAct[] = [];
  const storms: { from: number; to: number }[] = [];
  let bag: Draw[] = [];
  for (let from = 0; from < durationMs;) {
    const wished = from + dice.whole(...stormMs);
    const to = durationMs - wished < calmMs + leastStormMs ? durationMs : wished;
    storms.push({ from, to });
    const free = new Map<string, number>();
    for (let at = from; at < to - gapMs; at += dice.whole(...betweenActsMs)) {
      const tooLate: Draw[] = [];
      for (let tries = 0; tries < 10; tries += 1) {
        if (bag.length === 0) bag = dice.shuffled(draws);
        const draw = bag.pop();
        if (draw === undefined) break;
        const act = draw(dice, daemons);
        if (act.claims.some((claim) => (free.get(claim) ?? 0) > at)) {
          tooLate.push(draw);
          continue;
        }
        const planned = { ...act, at, forMs: Math.min(act.forMs, to - at) };
        for (const claim of act.claims) free.set(claim, at + planned.forMs + gapMs);
        acts.push(planned);
        break;
      }
      // What had to wait is tried first.
      bag.push(...tooLate.toReversed());
    }
    from = to + calmMs;
  }
  return { acts, storms };
}
