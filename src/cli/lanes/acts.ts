import type { Core } from "../../compose/build-core.ts";
import { systemClock } from "../../compose/system-world.ts";
import type { Teardown } from "../../compose/teardown.ts";
import { unlessRedisAway } from "../../ports/errors.ts";
import type { LaneState } from "../../ports/lanes.ts";
import { requestSweep } from "../../queue/command-queue.ts";
import { toBullmqConnection } from "../../redis/connect.ts";
import { probeNow, resetLane } from "../../redrive/lanes/person-acts.ts";
import { formatDuration } from "../../rules/durations.ts";
import type { ChosenLane } from "./choose-lane.ts";
import { whyNothingGoes, type WaitsFor } from "./why-nothing-goes.ts";

export interface Parts {
  readonly core: Core;
  readonly teardown: Teardown;
  /** The document loads. */
  readonly isWhole: boolean;
}

/** `isDone`: what was asked for is done, or was done before. */
export type LaneAct = (
  lane: ChosenLane,
  reason: string,
  parts: Parts,
) => Promise<{ readonly said: string; readonly isDone: boolean }>;

export const probe: LaneAct = async (lane, reason, parts) => {
  const { built, view } = lane;
  if (view.state !== "halted") return notHalted(view.state);
  const found = await probeNow(built.runtime, view, reason);
  switch (found.kind) {
    case "unknown":
      return {
        said: "its lane was forgotten a moment ago: it starts over with a few messages",
        isDone: false,
      };
    case "not-halted":
      return notHalted(found.state);
    case "under-way": {
      const judged = `judged in ${formatDuration(found.judgedInMs)}`;
      return { said: `a probe is under way since ${formatDuration(found.forMs)}, ${judged}`, isDone: true };
    }
    case "due":
      return { said: `its next probe is due now${await wakeUp(lane, parts)}`, isDone: true };
  }
};

export const reset: LaneAct = async (lane, reason, parts) => {
  const found = await resetLane(lane.built.runtime, lane.view, reason);
  if (found.kind === "unknown")
    return { said: "its lane was forgotten a moment ago: it is new", isDone: true };
  const said = `it was ${found.from}, and starts over at canary${await wakeUp(lane, parts)}`;
  return { said, isDone: true };
};

function notHalted(state: LaneState) {
  return { said: `it is ${state}; only a halted lane is probed`, isDone: false };
}

/** Asks the daemons to look at the lanes now, and answers what nevertheless keeps everything back. */
async function wakeUp({ built, view }: ChosenLane, { core, teardown, isWhole }: Parts): Promise<string> {
  const { target, keyPrefix } = core.settings.redis;
  const connection = toBullmqConnection(target, "queue");
  teardown.add("queue connection", () => connection.disconnect());
  const { id } = built.runtime.config;
  // Without it the next sweep looks, 15 s later with the built-in setting.
  await unlessRedisAway(() => requestSweep(connection, keyPrefix, id, systemClock.now()), undefined);
  const waitsFor = whyNothingGoes(view, {
    isAnyReplicaUp: (await core.replicas.all()).length > 0,
    pauses: await built.pauses.all(),
    drain: isWhole ? core.drains.get(view.drain) : null,
  });
  return waitsFor === null ? "" : `; nothing goes yet: ${toAdvice[waitsFor]}`;
}

const toAdvice: Readonly<Record<WaitsFor, string>> = {
  "no replica": "no replica is running",
  "drain unknown": "the document has no such drain",
  "plan mode": "its drain is in plan mode",
  "drain paused": "its drain is paused (redriver resume)",
  "host paused": "its destination is paused (redriver resume --host)",
};
