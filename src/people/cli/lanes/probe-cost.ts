import type { LaneConfig } from "../../../job/contracts/drains-document.ts";
import { maxProbe } from "../../../job/contracts/lanes.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { terminalColumns, wrapWords } from "../output/wrap.ts";
import type { LaneActParts } from "../../operations/lanes/acts.ts";
import type { ChosenLane } from "../../operations/lanes/choose-lane.ts";

/** As the lane machine and the lineage count it. Empty for a lane that is not halted. */
export function toProbeCost(
  { view }: ChosenLane,
  { core, isWhole }: Pick<LaneActParts, "core" | "isWhole">,
): string {
  if (view.state !== "halted") return "";
  const lane = isWhole ? core.drains.get(view.drain)?.config.lane : undefined;
  return wrapWords(terminalColumns, 0, "", toProbeCostText(lane));
}

export function toProbeCostText(lane: Pick<LaneConfig, "probeEveryMs"> | undefined): string {
  const most = lane === undefined ? "3 times probeEvery" : formatDuration(maxProbe * lane.probeEveryMs);
  return [
    "A probe is one message.",
    "No answer, 5xx, 408, 425 or 429: the lane stays halted, its next probe comes 1.5 times as late (at most",
    `${most}), and the message keeps its attempt, unless it was first sent over 7 days ago.`,
    "Any other failure uses one attempt; a lane halted by no answers or 5xx goes on then, unless that failed before.",
  ].join(" ");
}
