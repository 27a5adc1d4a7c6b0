/** The lanes that hold letters of an apply. A wait looks at them, and ends with the first that got room. */
import { unlessRedisAway } from "../../job/contracts/errors.ts";
import type { Origin } from "../../job/contracts/lanes.ts";
import type { DrainRuntime, Letter } from "../../job/door.ts";
import type { DlqId } from "../../job/message/dead-letter.ts";
import { laneOriginOf, laneOriginOfLetter } from "../../job/message/destination-url.ts";
import { peekLanes } from "../read/lane-standings.ts";
import { createLaneWaitCount, type LaneWaits } from "./lane-waits.ts";

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
