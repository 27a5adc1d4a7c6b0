import type { Origin } from "../../job/contracts/lanes.ts";
import { laneOriginOf, rateHostOf } from "../../job/message/destination-url.ts";
import type { Item, Letter } from "../../job/door.ts";
import { isReconciling } from "../../job/door-pure.ts";
import type { DeadLetter } from "../../job/message/dead-letter.ts";
import { defined } from "../../job/message/defined.ts";
import { type FailureKind, failureKindOf } from "../../job/message/failure-kind.ts";
import { type Show, toPrintable } from "../../job/message/show-masked-values.ts";
import type { Decision } from "../../job/rules/decision.ts";
import { createThingCount, createTopCount } from "./top-count.ts";

export interface DestinationPublishes {
  /** Null: all destinations that are not counted apart. */
  readonly origin: Origin | null;
  /** By which a rate per host counts. */
  readonly host: string;
  readonly publishes: number;
  /** Due later, by time alone. */
  readonly later: number;
}

export type PublishCounts = ReturnType<ReturnType<typeof createDestinationCount>["report"]>;

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

const maxKinds = 1_000;
const topKinds = 20;

export function createFailureCount(show: Show) {
  const createKind = (kind: FailureKind, letter: DeadLetter) => ({
    kind,
    decisions: createTopCount<Decision["then"]>(10),
    /** Only if content is shown: the answer of the first of them, at most 200 characters. */
    example: show === "content" ? toPrintable(letter.responseBody) : undefined,
  });
  const kinds = createThingCount<ReturnType<typeof createKind>>(maxKinds);
  return {
    add(letter: DeadLetter, then: Decision["then"]): void {
      const kind = failureKindOf(letter);
      kinds.add(kind.id, () => createKind(kind, letter))?.decisions.add(then);
    },
    counts() {
      const { top, more } = kinds.top(topKinds);
      const toRow = ({ kind, decisions, example, count }: (typeof top)[number]) => ({
        ...kind,
        count,
        decisions: decisions.top(10).top,
        ...defined({ example }),
      });
      return { top: top.map(toRow), more };
    },
  };
}
