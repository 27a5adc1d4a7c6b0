/** The lanes that a plan's messages wait for, as they are now. */
import type { Origin } from "../../job/contracts/lanes.ts";
import { laneOriginOf, laneOriginOfLetter } from "../../job/message/destination-url.ts";
import type { Letter, DrainRuntime } from "../../job/door.ts";
import { laneNeedOf } from "../../job/door-pure.ts";
import { readLaneStandings, type LaneStanding, type LaneStandings } from "../read/lane-standings.ts";
import { createTopCount } from "./top-count.ts";

export interface LaneWait extends Pick<
  LaneStanding,
  "state" | "sinceMs" | "why" | "sent" | "nextInMs" | "lastProbeAt"
> {
  readonly origin: Origin;
  readonly due: number;
  /** Records without attempts left that this lane saves from a park. */
  readonly kept: number;
}

export interface LaneWaits {
  /** A destination gets more if nothing came back for so long. */
  readonly watchMs: number;
  /** Those with most records first. */
  readonly lanes: readonly LaneWait[];
  /** Destinations beyond `lanes`, as far as counted apart, and their due records. */
  readonly more: { readonly lanes: number; readonly due: number };
}

const maxOrigins = 2_000;
const maxShown = 10;

export function createLaneWaitCount(drain: DrainRuntime) {
  const { lane } = drain.config;
  const due = createTopCount<Origin>(maxOrigins);
  const exhausted = createTopCount<Origin>(maxOrigins);
  const origins = (): readonly Origin[] => {
    const others = exhausted.top(maxShown).top.filter(({ key }) => due.count(key) === 0);
    return [...due.top(maxShown).top, ...others].map(({ key }) => key).slice(0, maxShown);
  };
  const toWait = (origin: Origin, standings: LaneStandings): readonly LaneWait[] => {
    const standing = standings.get(origin);
    if (standing === undefined) return [];
    const { state, sinceMs, why, sent, nextInMs, lastProbeAt, isSuspect } = standing;
    const wait = { origin, due: due.count(origin), kept: isSuspect ? exhausted.count(origin) : 0 };
    return wait.due + wait.kept > 0 ? [{ ...wait, state, sinceMs, why, sent, nextInMs, lastProbeAt }] : [];
  };
  return {
    add(letter: Letter): void {
      if (lane === undefined) return;
      const need = laneNeedOf(letter);
      if (need === "due") due.add(laneOriginOf(letter.due.target));
      if (need !== "kept") return;
      const origin = laneOriginOfLetter(letter.content);
      if (origin !== null) exhausted.add(origin);
    },
    addDue: due.add,
    /** Throws `redis-unavailable`. Null if the drain has no lanes. */
    async read(): Promise<LaneWaits | null> {
      if (lane === undefined) return null;
      const standings = await readLaneStandings(drain, origins());
      const { more } = due.top(maxShown);
      return {
        watchMs: lane.watchMs,
        lanes: origins().flatMap((origin) => toWait(origin, standings)),
        more: { lanes: more.kinds, due: more.count },
      };
    },
  };
}
