/** A plan's publishes by destination, in bounded memory. */
import type { Origin } from "../../job/contracts/lanes.ts";
import { laneOriginOf, rateHostOf } from "../../job/message/destination-url.ts";
import type { Item, Letter } from "../../job/door.ts";
import { isReconciling } from "../../job/door-pure.ts";

export interface DestinationPublishes {
  /** Null: all destinations that are not counted apart. */
  readonly origin: Origin | null;
  /** By which a rate per host counts. */
  readonly host: string;
  /** Due now. */
  readonly publishes: number;
  /** Due later, by time alone. */
  readonly later: number;
}

export type PublishCounts = ReturnType<ReturnType<typeof createDestinationCount>["report"]>;

/** Destinations that are counted apart. All others share one count. */
const maxDestinations = 1_000;

/** `limited`: rules with a rate of their own. */
export function createDestinationCount(limited: ReadonlySet<string>) {
  const destinations = new Map<Origin, ReturnType<typeof createCount>>();
  const others = createCount("");
  const ofRules = new Map<string, number>();
  let again = 0;

  const countOf = (target: Item["target"]): ReturnType<typeof createCount> => {
    const origin = laneOriginOf(target);
    const known = destinations.get(origin);
    if (known !== undefined) return known;
    if (destinations.size >= maxDestinations) return others;
    const made = createCount(rateHostOf(target));
    destinations.set(origin, made);
    return made;
  };

  return {
    add(letter: Letter, rule: string | null, due: "now" | "later"): void {
      const count = countOf(letter.due.target);
      if (due === "later") count.later += 1;
      else {
        count.publishes += 1;
        if (isReconciling(letter)) again += 1;
      }
      if (rule !== null && limited.has(rule)) ofRules.set(rule, (ofRules.get(rule) ?? 0) + 1);
    },
    report() {
      const rest = others.publishes + others.later === 0 ? [] : [{ origin: null, ...others }];
      return {
        destinations: [
          ...[...destinations].map(([origin, count]): DestinationPublishes => ({ origin, ...count })),
          ...rest,
        ] as readonly DestinationPublishes[],
        /** Now and later, of rules with a rate of their own. */
        ofRules: ofRules as ReadonlyMap<string, number>,
        /** Of those due now: an earlier POST is repeated, which no ceiling counts. */
        again,
      };
    },
  };
}

function createCount(host: string) {
  return { host, publishes: 0, later: 0 };
}
