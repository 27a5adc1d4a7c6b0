import type { LaneConfig } from "../../job/contracts/drains-document.ts";
import type { LaneAnswer, Origin } from "../../job/contracts/lanes.ts";
import type { DrainRuntime } from "../../job/door.ts";
import { toLaneId } from "../../job/message/lane-id.ts";

export interface PeekedLane {
  readonly origin: Origin;
  readonly lane: string;
  readonly answer: LaneAnswer;
  /** Redis time of the answer, Unix ms. */
  readonly at: number;
  /** Ms until its next step has room or is judged, or its probe is due; 0: now; null: open, or unknown. */
  readonly nextInMs: number | null;
}

/** Lanes grant nothing and record nothing. At most 100, in order. Throws `redis-unavailable`. */
export async function peekLanes(
  { config, source }: DrainRuntime,
  given: LaneConfig,
  origins: readonly Origin[],
): Promise<readonly PeekedLane[]> {
  const nothing = { wanted: 0, resumeMinutes: [] };
  const asks = origins.map((origin) => ({ lane: toLaneId(config.name, origin), origin, ...nothing }));
  const { answers, at } = await source.lanes.ask(config.name, given, asks);
  return answers.flatMap((answer, index) => {
    const ask = asks[index];
    if (ask === undefined) return [];
    const nextInMs = answer.until === null ? null : Math.max(0, answer.until - at);
    return [{ origin: ask.origin, lane: ask.lane, answer, at, nextInMs }];
  });
}
