/** The lanes that letters of a plan wait for. An apply that waits looks at them, and goes on with the first that got room. */
import { unlessRedisAway } from "../../job/contracts/errors.ts";
import type { Origin } from "../../job/contracts/lanes.ts";
import type { DrainRuntime, Letter } from "../../job/door.ts";
import { laneNeedOf } from "../../job/door-pure.ts";
import type { DlqId } from "../../job/message/dead-letter.ts";
import { laneOriginOf, laneOriginOfLetter } from "../../job/message/destination-url.ts";
import { peekLanes, readLaneStandings, type LaneStanding } from "../read/lane-standings.ts";
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

const lookAtLanesEveryMs = 2_000;
const lanesLookedAt = 100;

/** `isHeld`: a lane holds this letter still. */
export function createHeldLanes(isHeld: (dlqId: DlqId) => boolean) {
  const origins = new Map<DlqId, Origin>();
  const heldOrigins = (): readonly Origin[] =>
    [...origins].flatMap(([dlqId, origin]) => (isHeld(dlqId) ? [origin] : []));

  const count = (drain: DrainRuntime): Promise<LaneWaits | null> => {
    const held = heldOrigins();
    if (held.length === 0) return Promise.resolve(null);
    const counted = createLaneWaitCount(drain);
    for (const origin of held) counted.addDue(origin);
    return counted.read();
  };

  return {
    add(letter: Letter): void {
      const { dlqId, item, content } = letter;
      const origin = item === null ? laneOriginOfLetter(content) : laneOriginOf(item.target);
      if (origin !== null) origins.set(dlqId, origin);
    },

    /** True if a lane got room before that. `onLook`: at first, and when the lanes stand otherwise. Rejects if it is to stop. */
    async wait(
      drain: DrainRuntime,
      waitMs: number,
      stop: AbortSignal,
      onLook: (lanes: LaneWaits["lanes"], leftMs: number) => void,
    ): Promise<boolean> {
      let told = "none";
      const look = async (leftMs: number): Promise<void> => {
        const lanes = (await unlessRedisAway(() => count(drain), null))?.lanes ?? [];
        const standing = lanes.map(({ origin, state, sent }) => `${origin} ${state} ${sent}`).join();
        if (standing !== told) onLook(lanes, leftMs);
        told = standing;
      };
      await look(waitMs);
      const asked = [...new Set(heldOrigins())].slice(0, lanesLookedAt);
      const before = await unlessRedisAway(() => roomOf(drain, asked), new Map<Origin, number>());
      const everyMs = asked.length > 0 ? lookAtLanesEveryMs : waitMs;
      for (let leftMs = waitMs; leftMs > 0; leftMs -= everyMs) {
        await drain.source.clock.sleep(Math.min(leftMs, everyMs), stop);
        const room = await unlessRedisAway(() => roomOf(drain, asked), before);
        if ([...room].some(([origin, step]) => before.get(origin) !== step)) return true;
        if (asked.length > 0) await look(Math.max(0, leftMs - everyMs));
      }
      return false;
    },

    /** Null if no lane holds any. Throws `redis-unavailable`. */
    count,
  };
}

/** The step for which each of these lanes has room now. A lane that nobody knows any more has room. */
async function roomOf(drain: DrainRuntime, origins: readonly Origin[]): Promise<ReadonlyMap<Origin, number>> {
  const { lane } = drain.config;
  if (lane === undefined || origins.length === 0) return new Map();
  const peeked = await peekLanes(drain, lane, origins);
  const some = peeked.filter(({ nextInMs }) => nextInMs === null || nextInMs === 0);
  return new Map(some.map(({ origin, answer }) => [origin, answer.step]));
}
