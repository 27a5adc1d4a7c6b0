/** What the lanes of a drain would do with what is due, in lines for a person. */
import type { LaneForecast, LanesForecast } from "../redrive/plan/lane-forecast.ts";
import { formatDuration } from "../rules/format-duration.ts";
import { counted } from "./counted.ts";
import { wrapList, wrapWords } from "./wrap.ts";

/** Empty where there are none, or nothing is due to them. */
export function toLanesText(columns: number, forecast: LanesForecast | null): string {
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
    ...lanes.map((lane) => wrapList(columns, 4, "", toItems(lane), 0)),
    more.lanes === 0
      ? ""
      : wrapList(columns, 4, "", [counted(more.lanes, "more destination"), `${more.due} due`], 0),
    isTold ? wrapWords(columns, 2, "", applyText) : "",
  ].join("");
}

const applyText =
  "apply goes by these lanes as a pass does: it sends a step, waits for its watch and goes on, and leaves what has to wait longer than 10m, and what is of a lane that stays halted";

function toItems(lane: LaneForecast): readonly string[] {
  const { origin, due, kept, durationMs } = lane;
  return [
    origin,
    `${due} due`,
    ...toStateItems(lane),
    ...(due === 0 ? [] : toStepItems(lane)),
    ...(durationMs === 0 ? [] : [`the last in about ${formatDuration(Math.max(1_000, durationMs))}`]),
    ...(kept === 0 ? [] : [`${kept} without attempts left held and not parked`]),
  ];
}

/** `halted for 3m, 3 of 5 came back, 503`. */
export function toStateItems({ state, sinceMs, why }: LaneForecast): readonly string[] {
  if (sinceMs === null) return ["new"];
  return [`${state} for ${formatDuration(sinceMs)}`, ...(why === null || why === "new" ? [] : [why])];
}

/** The first group, those that wait for it, and the rest. */
function toStepItems(lane: LaneForecast): readonly string[] {
  const { state, due, canaries, plain, nextInMs, sent } = lane;
  if (state === "open") return ["all as the limits let them"];
  const [first = 0, ...later] = canaries;
  const when = nextInMs === 0 ? "now" : `in ${formatDuration(nextInMs)}`;
  const after = [
    ...(later.length === 0 ? [] : [`then ${later.join(", ")}`]),
    ...(plain === 0 ? [] : [`then ${plain} at once`]),
  ];
  if (state !== "halted") {
    return first === 0
      ? [`${plain} at once ${when}`]
      : [`${counted(first, "canary", "canaries")} ${when}`, ...after];
  }
  const rest = ["its probe is watched", `${due} held until it survives`, `then ${canaries.join(", ")}`];
  if (sent > 0) return plain === 0 ? rest : [...rest, `then ${plain} at once`];
  return [`a probe ${when}`, ...(due === 1 ? [] : [`${due - 1} held until it survives`]), ...after];
}
