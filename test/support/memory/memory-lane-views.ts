/** How the lanes of the in-memory reference are shown. */
import { laneStates, type LaneState, type LaneView } from "../../../src/ports/lanes.ts";
import { knownOf, type Lane } from "./memory-lane.ts";

/** Of each state they stay in their order. */
export function inStateOrder(lanes: readonly Lane[]): readonly Lane[] {
  return lanes.toSorted((a, b) => laneStates.indexOf(a.state) - laneStates.indexOf(b.state));
}

export function countLanes(lanes: readonly Lane[]): Readonly<Record<LaneState, number>> {
  const counts: Record<LaneState, number> = { canary: 0, ramping: 0, open: 0, halted: 0 };
  for (const { state } of lanes) counts[state] += 1;
  return counts;
}

export function toView(lane: Lane): LaneView {
  const { id, drain, origin, state, since, why, step } = lane;
  const kinds = [...step.back.values()].map(({ kind }) => kind);
  const down = kinds.filter((kind) => kind === "down").length;
  return {
    lane: id,
    step: step.step,
    drain,
    origin,
    state,
    since,
    why,
    size: step.size,
    sent: knownOf(step),
    comeBacks: { down, refused: kinds.length - down },
    nextAt: lane.nextAt,
    isShaky: lane.isShaky,
    totals: { canaries: lane.canaries, comeBacks: lane.comeBacks, halts: lane.halts },
    lastUsedAt: lane.usedAt,
  };
}
