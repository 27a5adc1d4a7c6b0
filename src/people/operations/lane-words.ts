import { formatDuration } from "../../job/rules/durations.ts";
import type { LaneStanding } from "../read/lane-standings.ts";
import type { PlanApplyDrain } from "../../job/contracts/plans.ts";
import type { LaneWait } from "../plan/lane-waits.ts";
import { toDestinationText } from "./destination-text.ts";
import { capitalised, counted, toCounts, toIn, toTime, toUntil } from "./phrases.ts";

/**
 * `next probe in 4m`, `next step now`; `a probe is out since 12:03:10 UTC, answer in 48s at the latest`. What nobody
 * has judged at the end of its watch is due: the next listing check tells.
 */
export function toNextStepText(
  { state, sent, nextInMs, lastProbeAt }: Pick<LaneStanding, "state" | "sent" | "nextInMs" | "lastProbeAt">,
  toWhen: (ms: number) => string = toIn,
): string {
  if (state !== "halted") return `next step ${toWhen(nextInMs)}`;
  if (sent === 0) return `next probe ${toWhen(nextInMs)}`;
  const since = lastProbeAt === null ? "" : ` since ${toTime(lastProbeAt).slice(11)}`;
  return `a probe is out${since}, ${nextInMs === 0 ? "its answer is due" : `answer ${toWhen(nextInMs)} at the latest`}`;
}

/** `pay.example.com (4 messages): halted, next probe at 12:03:10 UTC`: with a time, as it is read later too. Unix ms. */
export function toLaneWaitText({ origin, due, ...lane }: LaneWait, now: number): string {
  return `${toDestinationText(origin)} (${counted(due, "message")}): ${toWaitOf(lane, now)}`;
}

type Lane = Parameters<typeof toNextStepText>[0];

function toWaitOf(lane: Lane, now: number): string {
  if (lane.state === "open") return "open since, the next check sends them";
  const next = toNextStepText(lane, (ms) => (ms === 0 ? "now" : `at ${toUntil(now + ms, now)}`));
  return `${lane.state === "halted" ? "halted" : "a few have gone first"}, ${next}`;
}

/** A text as above, which was told when an apply looked, with its lane as it is now. */
export function renewLaneWaitText(
  told: string,
  laneOf: (destination: string) => Lane | undefined,
  now: number,
): string {
  const [, head = "", destination = ""] = /^((.+) \([\d,]+ messages?\): )/.exec(told) ?? [];
  const lane = laneOf(destination);
  return lane === undefined ? told : `${head}${toWaitOf(lane, now)}`;
}

/**
 * Who sends the probes of a halted lane: redriver by itself, or nothing but an apply, in a drain that only plans;
 * `unknown`: which of both the drain is.
 */
export type Prober = "redriver" | "apply" | "unknown";

/** `mode`: of the drain; null or undefined: not known. */
export function toProber(mode: "plan" | "live" | null | undefined): Prober {
  if (mode === "live") return "redriver";
  return mode === "plan" ? "apply" : "unknown";
}

/** `next probe in 4m, if its drain is live`: what comes by itself. A probe that is out has its answer in any case. */
export function toNextByItself(lane: LaneStanding, prober: Prober): string {
  const isOut = lane.state === "halted" && lane.sent > 0;
  return `${toNextStepText(lane)}${prober === "unknown" && !isOut ? ifLive : ""}`;
}

const ifLive = ", if its drain is live";

/** What comes if nobody does anything; of an apply: of one that is under way, or of the next. */
export function toUnaidedText(lane: LaneStanding, prober: Prober): string {
  const whose = "Its owner can mend it.";
  if (prober === "apply") {
    const next = lane.sent > 0 ? capitalised(toNextStepText(lane)) : `An apply probes ${toIn(lane.nextInMs)}`;
    return `${whose} ${next}. If a probe is delivered, the apply sends the rest.`;
  }
  const probes = lane.nextInMs > 0 ? `probes by itself ${toIn(lane.nextInMs)}` : "probes at its next pass";
  const itself = `redriver ${probes}${prober === "unknown" ? ifLive : ""}`;
  const next = lane.sent > 0 ? toNextStepText(lane) : itself;
  return `${whose} ${capitalised(next)}. If a probe is delivered, the rest follows by the rules.`;
}

export const appliesByProbe =
  "An apply sends one of them first, as a probe. If it is delivered, the apply sends the rest";

/** Of a probe that a person asks for in a drain that only plans. */
export const plannedCosts =
  "Sends nothing by itself: its drain only plans. An apply then sends the probe at once. If it is delivered, the apply sends the rest.";

export type ToldWait = NonNullable<PlanApplyDrain["wait"]>;

/** What an apply waits for, and until when. */
export function toWaitText({ reasons, nextCheckMs, lanes = [] }: ToldWait): string {
  const others = toCounts(reasons).filter((one) => !/^(?:lane-|still-)/.test(one));
  if (lanes.length > 0) return [...lanes, ...others].join("; ");
  const wait = formatDuration(Math.max(1_000, Math.ceil(nextCheckMs / 1_000) * 1_000));
  return `${toCounts(reasons).join(", ") || "what is not known"}, next check in ${wait}`;
}
