/** How long a plan's publishes take and what they cost, in lines for a person. */
import type { DestinationEstimate, Estimate } from "../../redrive/plan/estimate.ts";
import type { Room } from "../../redrive/plan/guards-and-ceilings.ts";
import type { Bound } from "../../redrive/plan/time-bounds.ts";
import { formatDuration } from "../../rules/durations.ts";
import { rateText } from "../../rules/patterns/parse-rate.ts";
import { counted, joined, present, toSpan } from "../../operations/phrases.ts";
import { toTable } from "../output/table.ts";
import { wrapList, wrapWords } from "../output/wrap.ts";
import { toCeilingText } from "./limits-text.ts";

/** Empty if nothing is to be published, now or later. */
export function toEstimateText(columns: number, estimate: Estimate, room: Room): string {
  const { billed, calls, later } = estimate;
  if (billed.best === 0) return "";
  const best = billed.best === billed.worst ? "" : `${billed.best} to `;
  const bills = `${best}${counted(billed.worst, "attempt")} for ${counted(billed.best, "publish", "publishes")}`;
  return joined(
    "\n  time and cost\n",
    wrapWords(columns, 4, "takes     ", toWholeText(estimate)),
    later !== null && wrapWords(columns, 4, "held      ", toLaterText(later)),
    wrapList(columns, 4, "calls", [
      `${calls.list} list`,
      `${calls.publish} publish`,
      `${calls.remove} delete`,
    ]),
    wrapList(columns, 4, "bills", [bills]),
    toCeilingText(columns, room, estimate),
    toDestinationsText(columns, estimate),
  );
}

/** `about 4m: 2400 for api.example.com at 10/s take 4m; pay.example.com is halted, …`. */
function toWholeText(estimate: Estimate): string {
  const { durationMs, nowMs, publishes, later, boundBy, days, billed, notCounted } = estimate;
  const isAnyCounted = notCounted === null || notCounted.publishes < billed.best;
  const ofNow = publishes > 0 && later !== null ? ` (${shown(nowMs)} for what is due now)` : "";
  const whole = isAnyCounted
    ? `about ${shown(durationMs)}${ofNow}: ${toCause(boundBy, days)}`
    : "nothing can go yet";
  return present([whole, notCounted !== null && toHaltedText(notCounted)]).join("; ");
}

function toCause(bound: Bound, days: number): string {
  switch (bound.kind) {
    case "day":
      return `perDay ${bound.limit} spreads it over ${days} days`;
    case "lane":
      return `the steps of lane ${toName(bound.origin)} take ${shown(bound.ms)}`;
    case "due":
      return `the last becomes due in ${shown(bound.inMs)}`;
    case "calls":
      return "one call after the other";
    case "publish":
      return `${toWork(bound)} (publish) take ${shown(bound.ms)}`;
    case "host":
      return `${toWork(bound, ` for ${bound.host}`)}${bound.isRateLearned ? " and more" : ""} take ${shown(bound.ms)}`;
    case "rule":
      return `${toWork(bound, ` of rule ${bound.rule}`)} take ${shown(bound.ms)}`;
  }
}

function toWork({ publishes, rate }: Extract<Bound, { rate: unknown }>, of = ""): string {
  return `${publishes}${of} at ${rateText(rate)}`;
}

function toHaltedText(halted: NonNullable<Estimate["notCounted"]>): string {
  const { destinations, publishes, origin, nextInMs, isProbeOut } = halted;
  const name = toName(origin);
  const isOne = destinations === 1;
  const when = nextInMs === 0 ? "now" : `in ${shown(nextInMs)}`;
  return [
    isOne ? `${name} is halted` : `${name} and ${destinations - 1} more are halted`,
    isProbeOut ? `its probe is out, result ${when}` : `next probe ${when}`,
    `${publishes} ${publishes === 1 ? "waits" : "wait"} for ${isOne ? "it" : "them"} and ${publishes === 1 ? "is" : "are"} not counted`,
  ].join(", ");
}

/** `18000 become due in 30s to 45s; then about 30m of work`. */
function toLaterText({ publishes, fromMs, toMs, workMs }: NonNullable<Estimate["later"]>): string {
  const become = publishes === 1 ? "becomes" : "become";
  return `${publishes} ${become} due ${toSpan(fromMs, toMs, 0)}; then about ${shown(workMs)} of work`;
}

const indent = 4;
const minName = 16;

function toDestinationsText(columns: number, { destinations: { top, more }, later }: Estimate): string {
  if (top.length === 0) return "";
  const others = more.publishes + more.later > 0;
  const rows = [
    ...top.map((row) => ({ ...row, name: toName(row.origin), laneText: toLaneCell(row) })),
    ...(others ? [toOthers(more)] : []),
  ];
  const hasLater = later !== null || rows.some((row) => row.later > 0);
  const toText = (max: number): string =>
    toTable(rows, {
      destination: ({ name }) => cut(name, max),
      now: ({ publishes }) => publishes,
      ...(hasLater && { later: (row) => row.later }),
      ...(top.some(({ rate }) => rate !== null) && {
        rate: ({ rate, isRateLearned }) => (isRateLearned ? "auto" : rate === null ? "" : rateText(rate)),
      }),
      ...(top.some(({ lane }) => lane !== null) && { lane: ({ laneText }) => laneText }),
      time: (row) => `${shown(row.durationMs)}${row.isCounted ? "" : " or more"}`,
    });
  const widest = Math.max(
    ...toText(minName)
      .split("\n")
      .map((line) => line.length),
  );
  const text = toText(Math.max(minName, columns - indent - widest + minName));
  return `\n${text.replaceAll(/^(?=.)/gm, " ".repeat(indent))}`;
}

function toLaneCell({ lane, isCounted }: DestinationEstimate): string {
  if (lane === null) return "";
  return isCounted ? lane.state : `${lane.state}, not counted`;
}

function toOthers({
  destinations,
  publishes,
  later,
  durationMs,
  notCounted,
}: Estimate["destinations"]["more"]) {
  const laneText = notCounted === 0 ? "" : `${notCounted} halted`;
  return {
    name: `${destinations} more`,
    publishes,
    later,
    rate: null,
    isRateLearned: false,
    laneText,
    durationMs,
    isCounted: true,
  };
}

/** An origin as people name it: without the scheme that most have. */
function toName(origin: string | null): string {
  return origin === null ? "others" : origin.replace(/^https:\/\//, "");
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

function shown(ms: number): string {
  return formatDuration(Math.max(1_000, ms));
}
