/** A plan's publishes by destination, in bounded memory: the figures of its estimate. */
import type { Origin } from "../../job/contracts/lanes.ts";
import { laneOriginOf } from "../../job/lanes/lane-origin.ts";
import { rateHostOf } from "../../job/page/capacity-request.ts";
import { itemOf } from "../../job/page/publish/canary-variant.ts";
import { isReconciling, type Candidate } from "../../job/page/records.ts";
import { createDueTimes } from "./due-times.ts";
import type { LaneStandings } from "./lane-standings.ts";
import type { DestinationWork } from "./schedule-destinations.ts";

/** Destinations that are counted apart. All others share one count. */
const maxDestinations = 1_000;

/** `limited`: rules with a rate of their own. */
export function createDestinationCount(headerPrefix: string, limited: ReadonlySet<string>) {
  const destinations = new Map<Origin, ReturnType<typeof createDestination>>();
  const others = createDestination("");
  let worstBilled = 0;

  const destinationOf = (target: Candidate["target"]): ReturnType<typeof createDestination> => {
    const origin = laneOriginOf(target);
    const known = destinations.get(origin);
    if (known !== undefined) return known;
    if (destinations.size >= maxDestinations) return others;
    const made = createDestination(rateHostOf(target));
    destinations.set(origin, made);
    return made;
  };

  return {
    /** `inMs`: until it is due; 0: now. */
    add(candidate: Candidate, rule: string | null, inMs: number): void {
      const limitedRule = rule !== null && limited.has(rule) ? rule : null;
      destinationOf(candidate.target).add(inMs, limitedRule, isReconciling(candidate));
      worstBilled += 1 + retriesOf(itemOf(candidate, 1).headers[`${headerPrefix}Retries`]);
    },
    worstBilled: () => worstBilled,
    origins: (): Iterable<Origin> => destinations.keys(),
    report(standings: LaneStandings): readonly DestinationWork[] {
      const apart = [...destinations].map(([origin, one]) => {
        return { origin, ...one.report(), lane: standings.get(origin) ?? null };
      });
      const rest = { origin: null, ...others.report(), lane: null };
      return rest.arrivals.length === 0 ? apart : [...apart, rest];
    },
  };
}

/** `host`: by which a rate per host counts. */
function createDestination(host: string) {
  const all = createDueTimes();
  const byRule = new Map<string, ReturnType<typeof createDueTimes>>();
  let again = 0;
  return {
    add(inMs: number, rule: string | null, isAgain: boolean): void {
      all.add(inMs);
      if (isAgain && inMs <= 0) again += 1;
      if (rule === null) return;
      const times = byRule.get(rule) ?? createDueTimes();
      byRule.set(rule, times);
      times.add(inMs);
    },
    report: () => ({
      host,
      arrivals: all.arrivals(),
      earliestMs: all.earliestMs(),
      again,
      rules: [...byRule].map(([rule, times]) => ({ rule, arrivals: times.arrivals() })),
    }),
  };
}

/** The service retries three times if a message has no number of its own. */
const defaultRetries = 3;

function retriesOf(header: string | undefined): number {
  const retries = Number(header ?? defaultRetries);
  return Number.isSafeInteger(retries) && retries >= 0 ? retries : defaultRetries;
}
