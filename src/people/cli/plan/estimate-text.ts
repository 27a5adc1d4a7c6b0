/** How long a plan's publishes take and what they cost, in lines for a person. */
import type { DestinationEstimate, Estimate } from "../../plan/estimate.ts";
import type { Room } from "../../plan/guards-and-ceilings.ts";
import type { Bound } from "../../plan/time-bounds.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { rateText } from "../../../job/rules/patterns/parse-rate.ts";
import { cutMiddle, toDestinationText } from "../../operations/destination-text.ts";
import { counted, joined, present, toDone, toIn, toSpan } from "../../operations/phrases.ts";
import { fitted, toTable } from "../output/table.ts";
import { wrapList, wrapWords } from "../output/wrap.ts";
import { toCeilingText } from "./limits-text.ts";

/** Empty if nothing is to be published, now or later. `now`: Unix ms. */
export function toEstimateText(columns: number, estimate: Estimate, room: Room, now: number): string {
  const { billed, calls, later } = estimate;
  if (billed.best === 0) return "";
  const best = billed.best === billed.worst ? "" : `${billed.best} to `;
  const bills = `${best}${counted(billed.worst, "attempt")} for ${counted(billed.best, "publish", "publishes")}`;
  return joined(
    "\n  time and cost\n",
    wrapWords(columns, 4, "takes     ", toWholeText(estimate, now)),
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

/** `done in about 4m (14:32 UTC): 2400 for api.example.com at 10/s take 4m; pay.example.com is halted, …`. */
function toWholeText(estimate: Estimate, now: number): string {
  const { durationMs, nowMs, publishes, later, boundBy, days, billed, notCounted } = estimate;
  const isAnyCounted = notCounted === null || notCounted.publishes < billed.best;
  const ofNow = publishes > 0 && later !== null ? `, ${shown(nowMs)} for what is due now` : "";
  const whole = isAnyCounted
    ? `${toDone(durationMs, now)}${ofNow}: ${toCause(boundBy, days)}`
    : "none can go now";
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
  const when = toIn(nextInMs);
  return [
    isOne ? `${name} is halted` : `${name} and ${destinations - 1} more are halted`,
    isProbeOut ? `a probe is out, result ${when}` : `next probe ${when}`,
    `${publishes} ${publishes === 1 ? "waits" : "wait"} for ${isOne ? "it" : "them"} and ${publishes === 1 ? "is" : "are"} not counted`,
  ].join(", ");
}

/** `18000 become due in 30s to 45s; then about 30m of work`. */
function toLaterText({ publishes, fromMs, toMs, workMs }: NonNullable<Estimate["later"]>): string {
  const become = publishes === 1 ? "becomes" : "become";
  return `${publishes} ${become} due ${toSpan(fromMs, toMs, 0)}; then about ${shown(workMs)} of work`;
}

const indent = 4;

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
      destination: ({ name }) => cutMiddle(name, max),
      now: ({ publishes }) => publishes,
      ...(hasLater && { later: (row) => row.later }),
      ...(top.some(({ rate }) => rate !== null) && {
        rate: ({ rate, isRateLearned }) => (isRateLearned ? "auto" : rate === null ? "" : rateText(rate)),
      }),
      ...(top.some(({ lane }) => lane !== null) && { lane: ({ laneText }) => laneText }),
      time: (row) => `${shown(row.durationMs)}${row.isCounted ? "" : " or more"}`,
    });
  const text = fitted(columns - indent, toText);
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

function toName(origin: string | null): string {
  return origin === null ? "others" : toDestinationText(origin);
}

function shown(ms: number): string {
  return formatDuration(Math.max(1_000, ms));
}
