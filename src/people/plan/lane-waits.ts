import type { Origin } from "../../job/contracts/lanes.ts";
import { laneOriginOf, laneOriginOfLetter } from "../../job/message/destination-url.ts";
import type { Letter, DrainRuntime } from "../../job/door.ts";
import { laneNeedOf } from "../../job/door-pure.ts";
import { readLaneStandings, type LaneStanding } from "../read/lane-standings.ts";
import { createTopCount } from "./top-count.ts";

export type LaneWaits = NonNullable<Awaited<ReturnType<ReturnType<typeof createLaneWaitCount>["read"]>>>;
export type LaneWait = LaneWaits["lanes"][number];

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
  const toWait = (origin: Origin, standing: LaneStanding | undefined) => {
    if (standing === undefined) return [];
    const { state, sinceMs, why, sent, nextInMs, lastProbeAt, isSuspect } = standing;
    /** `kept`: records without attempts left that this lane saves from a park. */
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
    async read() {
      if (lane === undefined) return null;
      const standings = await readLaneStandings(drain, origins());
      const { more } = due.top(maxShown);
      return {
        /** A destination gets more if nothing came back for so long. */
        watchMs: lane.watchMs,
        /** Those with most records first. */
        lanes: origins().flatMap((origin) => toWait(origin, standings.get(origin))),
        /** Destinations beyond `lanes`, as far as counted apart, and their due records. */
        more: { lanes: more.kinds, due: more.count },
      };
    },
  };
}
