import type { Audit, AuditAct } from "../../ports/audit.ts";
import type { SourceId } from "../../ports/ids.ts";
import type { LaneChange } from "../../ports/lanes.ts";

type Moved = Extract<LaneChange, { kind: "moved" }>;

/** Whose audit a move is written into, and who made it. */
export interface MoveRecorder {
  readonly source: SourceId;
  readonly audit: Pick<Audit, "record">;
  readonly by: string;
}

/**
 * Writes into the audit that a lane halted, resumed or opened; the steps between are in the log alone. The
 * move has happened, so Redis being away puts only its entry off. Never fails.
 */
export async function recordLaneMove(
  { source, audit, by }: MoveRecorder,
  { drain, origin, from, to, why, sent, comeBacks }: Moved,
): Promise<void> {
  const act = actOf({ from, to });
  if (act === null) return;
  const lane = { origin, from, to, why, sent, comeBacks };
  await audit.record([{ act, by, source, drain, lane, records: [] }]);
}

/** Null: no more than another step. */
function actOf({ from, to }: Pick<Moved, "from" | "to">): AuditAct | null {
  if (to === "halted") return "lane-halted";
  if (to === "open") return "lane-opened";
  return from === "halted" ? "lane-resumed" : null;
}
