import type { LaneStanding } from "../read/lane-standings.ts";
import { toIn, toTime } from "./phrases.ts";

/**
 * `next probe in 4m`, `next step now`; `a probe is out since 12:03:10 UTC, answer in 48s at the latest`. What nobody
 * has judged at the end of its watch is due: the next listing check tells.
 */
export function toNextStepText({
  state,
  sent,
  nextInMs,
  lastProbeAt,
}: Pick<LaneStanding, "state" | "sent" | "nextInMs" | "lastProbeAt">): string {
  if (state !== "halted") return `next step ${toIn(nextInMs)}`;
  if (sent === 0) return `next probe ${toIn(nextInMs)}`;
  const since = lastProbeAt === null ? "" : ` since ${toTime(lastProbeAt).slice(11)}`;
  return `a probe is out${since}, ${nextInMs === 0 ? "its answer is due" : `answer ${toIn(nextInMs)} at the latest`}`;
}
