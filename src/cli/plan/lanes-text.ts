/** What the lanes of a drain would do with what is due, in lines for a person. */
import type { LaneForecast, LanesForecast } from "../../redrive/plan/lane-forecast.ts";
import type { Estimate } from "../../redrive/plan/estimate.ts";
import { formatDuration } from "../../rules/format-duration.ts";
import { counted } from "../output/counted.ts";
import { wrapList, wrapWords } from "../output/wrap.ts";

/** Empty where there are none, or nothing is due to them. */
export function toLanesText(
  columns: number,
  forecast: LanesForecast | null,
  estimate: Pick<Estimate, "boundBy" | "durationMs">,
): string {
  if (forecast === null || forecast.lanes.length === 0) return "";
  const { lanes, more, watchMs } = forecast;
  const isTold = lanes.some(({ state }) => state !== "open");
  return [
    "\n",
    wrapWords(
      columns,
      2,
      "",
      `lanes: a destination gets more when nothing has come back for ${formatDuration(watchMs)}`,
    ),
    ...lanes.map((lane) => wrapList(columns, 4, "", toItems(lane, limitsMsOf(lane, estimate)), 0)),
    more.lanes === 0
      ? ""
      : wrapList(columns, 4, "", [counted(more.lanes, "more destination"), `${more.due} due`], 0),
    isTold ? wrapWords(columns, 2, "", applyText) : "",
  ].join("");
}

/** `1152 held by halted lanes`; empty where there are none. Of those that are told. */
export function toHaltedText(forecast: LanesForecast | null): string {
  const held = (forecast?.lanes ?? [])
    .filter(({ state }) => state === "halted")
    // Where a probe can go now, one of them does.
    .reduce(
      (sum, { due, sent, nextInMs }) => sum + due - (sent === 0 && nextInMs === 0 && due > 0 ? 1 : 0),
      0,
    );
  return held === 0 ? "" : `${held} held by halted lanes`;
}

const applyText =
  "apply goes by these lanes as a pass does: it sends a step, waits for its watch and goes on. It leaves what would have to wait longer than 10m, and what waits for a lane that stays halted";

/** Rates that are told sooner are no news. */
const toldFromMs = 1_000;

/** Until the last of a lane's can go by what limits there are; 0: they are not felt. */
function limitsMsOf(
  { due, limitsMs }: LaneForecast,
  { boundBy, durationMs }: Pick<Estimate, "boundBy" | "durationMs">,
): number {
  if (due === 0) return 0;
  // Which lanes a rule's rate or the day's ceiling makes wait is not counted.
  const isOfAll = boundBy.kind === "rule" || boundBy.kind === "day";
  const longestMs = isOfAll ? Math.max(limitsMs, durationMs) : limitsMs;
  return longestMs < toldFromMs ? 0 : longestMs;
}

function toItems(lane: LaneForecast, limitsMs: number): readonly string[] {
  const { origin, due, kept } = lane;
  const lastMs = Math.max(lane.durationMs, limitsMs);
  return [
    origin,
    `${due} due`,
    ...toStateItems(lane),
    ...(due === 0 ? [] : toStepItems(lane, limitsMs === 0 ? "at once" : "at the limits")),
    ...(lastMs === 0 ? [] : [`the last in about ${formatDuration(Math.max(1_000, lastMs))}`]),
    ...(kept === 0 ? [] : [`${kept} without attempts left held and not parked`]),
  ];
}

/** `halted for 3m, 3 of 5 came back, 503`. */
export function toStateItems({ state, sinceMs, why }: LaneForecast): readonly string[] {
  if (sinceMs === null) return ["new"];
  return [`${state} for ${formatDuration(sinceMs)}`, ...(why === null || why === "new" ? [] : [why])];
}

/** The first group, those that wait for it, and the rest. */
function toStepItems(lane: LaneForecast, pace: "at once" | "at the limits"): readonly string[] {
  const { state, due, canaries, plain, nextInMs, sent } = lane;
  if (state === "open") return ["all as the limits let them"];
  const [first = 0, ...later] = canaries;
  const when = nextInMs === 0 ? "now" : `in ${formatDuration(nextInMs)}`;
  const after = [
    ...(later.length === 0 ? [] : [`then ${later.join(", ")}`]),
    ...(plain === 0 ? [] : [`then ${plain} ${pace}`]),
  ];
  if (state !== "halted") {
    return first === 0
      ? [`${plain} ${pace} ${when}`]
      : [`${counted(first, "canary", "canaries")} ${when}`, ...after];
  }
  const rest = ["its probe is watched", `${due} held until it survives`, `then ${canaries.join(", ")}`];
  if (sent > 0) return plain === 0 ? rest : [...rest, `then ${plain} ${pace}`];
  return [`a probe ${when}`, ...(due === 1 ? [] : [`${due - 1} held until it survives`]), ...after];
}
