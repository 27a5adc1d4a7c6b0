import type { AuditLane } from "../../../job/contracts/audit.ts";
import { type Core, recordIntent, type SourceRuntime } from "../../../job/door.ts";
import { unlessRedisAway } from "../../../job/contracts/errors.ts";
import type { SourceId } from "../../../job/contracts/ids.ts";
import type { LaneState, LaneProbe, LaneReset, LaneView } from "../../../job/contracts/lanes.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import type { ChosenLane } from "./choose-lane.ts";
import { whyNothingGoes, type WaitsFor } from "./why-nothing-goes.ts";

export interface LaneActParts {
  readonly core: Pick<Core, "drains" | "replicas">;
  /** Asks the daemons to look at the lanes of a source now. */
  readonly requestSweep: (source: SourceId) => Promise<void>;
  /** The document loads. */
  readonly isWhole: boolean;
}

/** `isDone`: what was asked for is done, or was done before. */
export type LaneAct = (
  lane: ChosenLane,
  order: { readonly reason: string; readonly by: string },
  parts: LaneActParts,
) => Promise<{ readonly said: string; readonly isDone: boolean }>;

export const probe: LaneAct = async (lane, { reason, by }, parts) => {
  const { built, view } = lane;
  if (view.state !== "halted") return notHalted(view.state);
  const found = await probeNow({ ...built.runtime, by }, view, reason);
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

export const reset: LaneAct = async (lane, { reason, by }, parts) => {
  const found = await resetLane({ ...lane.built.runtime, by }, lane.view, reason);
  if (found.kind === "unknown")
    return { said: "its lane was forgotten a moment ago: it is new", isDone: true };
  const said = `it was ${found.from}, and starts over at canary${await wakeUp(lane, parts)}`;
  return { said, isDone: true };
};

function notHalted(state: LaneState) {
  return { said: `it is ${state}; only a halted lane is probed`, isDone: false };
}

/** Asks the daemons to look at the lanes now, and answers what nevertheless keeps everything back. */
async function wakeUp(
  { built, view }: ChosenLane,
  { core, requestSweep, isWhole }: LaneActParts,
): Promise<string> {
  // Without it the next sweep looks, 15 s later with the built-in setting.
  await unlessRedisAway(() => requestSweep(built.runtime.config.id), undefined);
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

/**
 * What a person does to a lane, in the audit first. A lane that moved since it was read answers so, and the
 * audit has what was wanted. Throws `redis-unavailable`; then nothing is known to be done.
 */
async function probeNow(source: SourceRuntime, view: LaneView, why: string): Promise<LaneProbe> {
  await recordIntent(source, "lane-probe", [], {
    drain: view.drain,
    why,
    lane: toAuditLane(view, view.state),
  });
  return source.lanes.probeNow(view.lane);
}

async function resetLane(source: SourceRuntime, view: LaneView, why: string): Promise<LaneReset> {
  await recordIntent(source, "lane-reset", [], { drain: view.drain, why, lane: toAuditLane(view, "canary") });
  return source.lanes.reset(view.lane);
}

/** `why`: how it came to its state. */
function toAuditLane({ origin, state, why, sent, comeBacks }: LaneView, to: AuditLane["to"]): AuditLane {
  return { origin, from: state, to, why, sent, comeBacks: comeBacks.down + comeBacks.refused };
}
