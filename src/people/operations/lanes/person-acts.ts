import type { LaneProbe, LaneReset, LaneView } from "../../../job/contracts/lanes.ts";
import type { AuditLane } from "../../../job/contracts/audit.ts";
import { recordIntent, type SourceRuntime } from "../../../job/door.ts";

/**
 * What a person does to a lane, in the audit first. A lane that moved since it was read answers so, and the
 * audit has what was wanted. Throws `redis-unavailable`; then nothing is known to be done.
 */
export async function probeNow(source: SourceRuntime, view: LaneView, why: string): Promise<LaneProbe> {
  await recordIntent(source, "lane-probe", [], {
    drain: view.drain,
    why,
    lane: toAuditLane(view, view.state),
  });
  return source.lanes.probeNow(view.lane);
}

export async function resetLane(source: SourceRuntime, view: LaneView, why: string): Promise<LaneReset> {
  await recordIntent(source, "lane-reset", [], { drain: view.drain, why, lane: toAuditLane(view, "canary") });
  return source.lanes.reset(view.lane);
}

/** `why`: how it came to its state. */
function toAuditLane({ origin, state, why, sent, comeBacks }: LaneView, to: AuditLane["to"]): AuditLane {
  return { origin, from: state, to, why, sent, comeBacks: comeBacks.down + comeBacks.refused };
}
