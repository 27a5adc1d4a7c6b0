import { durationText } from "../../../job/rules/durations.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { laneMoveText, reasonText } from "../history/rows.ts";
import { toNextStepText } from "../lane-words.ts";
import { number, present } from "../phrases.ts";
import { probeFailedAgain, type ProbeResult, type TimeLineEntry } from "./time-line.ts";

export function toWhat({ act, probed }: TimeLineEntry): string {
  if (probed !== undefined) return "probe sent";
  return act === "drop" ? "discarded" : act;
}

export function toHow(entry: TimeLineEntry): string {
  const { act, host, forMs, why, count = 0 } = entry;
  const parts = [
    laneMoveText(entry),
    count === 0
      ? reasonText(entry)
      : `${number(count)} ${act === "drop" ? "archived, then deleted" : "ordered"}`,
    host,
    forMs !== undefined && `for ${durationText(forMs)}`,
    why,
  ];
  return present(parts).join("; ");
}

/** Of a probe that was sent `at` this time, Unix ms, and is not back. `lane`: as it is now. */
export function toResultText(
  result: Exclude<ProbeResult, { kind: "came-back" }>,
  at: number,
  lane: LaneStanding | undefined,
): string {
  switch (result.kind) {
    case "judged":
      return result.why;
    case "stayed-halted":
      return result.why ?? "it did not open the lane: another probe followed";
    case "reset":
      return "the lane was reset before its result was known";
    case "newest":
      return toNewestText(at, lane);
  }
}

/** The lane's `why` is of the halt or of a probe before, until the one of that time is sent and judged. */
function toNewestText(at: number, lane: LaneStanding | undefined): string {
  if (lane?.state !== "halted") return "its result is not in the audit";
  if ((lane.lastProbeAt ?? 0) < at) return "no result yet";
  if (lane.sent > 0) return toNextStepText(lane);
  return lane.why?.startsWith(probeFailedAgain) === true ? lane.why : "no result yet";
}
