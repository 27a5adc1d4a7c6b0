/** Which destinations hold what an apply leaves, in lines for a person. */
import type { LaneForecast, LanesForecast } from "../../redrive/plan/lane-forecast.ts";
import { formatDuration } from "../../rules/format-duration.ts";
import { counted } from "../output/counted.ts";
import { toStateItems } from "../plan/lanes-text.ts";
import { wrapList } from "../output/wrap.ts";

/** Empty where lanes hold nothing of it. */
export function toLeftLanesText(columns: number, left: LanesForecast | null): string {
  if (left === null) return "";
  const { lanes, more } = left;
  return [
    ...lanes.map((lane) => [lane.origin, `${lane.due} held`, ...toStateItems(lane), ...toNext(lane)]),
    ...(more.lanes === 0 ? [] : [[counted(more.lanes, "more destination"), `${more.due} held`]]),
  ]
    .map((items) => wrapList(columns, 2, "", items, 0))
    .join("");
}

function toNext({ state, sent, nextInMs }: LaneForecast): readonly string[] {
  const when = nextInMs === 0 ? "now" : `in ${formatDuration(Math.max(1_000, nextInMs))}`;
  switch (state) {
    case "open":
      return [];
    case "halted":
      return [sent > 0 ? `its probe is watched, and judged ${when}` : `next probe ${when}`];
    case "canary":
    case "ramping":
      return [`next step ${when}`];
  }
}
