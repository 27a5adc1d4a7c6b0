import { toPrintable } from "../../../job/message/show-masked-values.ts";
import type { HourlyArrivals } from "../../../job/contracts/failures.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { isHeldByRules } from "../../read/held-by-rules.ts";
import { sumOf } from "../../read/totals.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toAsText, toQuietEnd, toStateText } from "../../operations/failures/state-text.ts";
import { toHow, toResultText, toWhat } from "../../operations/failures/happened-text.ts";
import type { TimeLineEntry } from "../../operations/failures/time-line.ts";
import { present, toAge, toClock, toTime } from "../../operations/phrases.ts";
import { toAnswerText } from "../output/fields-text.ts";
import { toCount } from "../output/table.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import type { FailureDetails } from "../../operations/failures/details.ts";
import { toPercent, toRuledShares, whyNotRuled } from "../../operations/failures/ruled.ts";
import { toAnswerText as toAnswer } from "../../read/answer-text.ts";
import type { LaneStanding } from "../../read/lane-standings.ts";
import { toNextByItself, toProber } from "../../operations/lane-words.ts";

const hourMs = 3_600_000;
const hoursShown = 24;
const daysShown = 7;

export function toFailureText(
  columns: number,
  { failure, arrivals, lanes, sample, timeLine }: FailureDetails,
  now: number,
  modeOf: (drain: string) => "plan" | "live" | undefined,
): string {
  const { id, origin, since, firstMetAt, drain, lastSeenAt, drains, source } = failure;
  const toWhen = (at: number): string => `${toTime(at)}, ${toAge(at, now)} ago`;
  const view = {
    source,
    state: toStateText(failure, now),
    failing: since === null ? "" : `since ${toWhen(since)}`,
    "first met": `${toWhen(firstMetAt)}, by drain ${drain}`,
    "last seen": toWhen(lastSeenAt),
    "last 24 h": toHours(arrivals, now),
    "last 7 days": toDays(arrivals, now),
    "failed again": toAsText(failure),
    rules: toRuled(failure),
    sample:
      "explanation" in sample
        ? `${sample.explanation.dlqId}: ${sample.explanation.explanation}\nredriver rules explain ${sample.explanation.dlqId} --drain ${sample.explanation.drain}`
        : sample.missing,
    note: toNote(failure, now),
    quiet: toQuiet(failure, now),
    drains: drains.map((one) => ({
      drain: one.drain,
      waiting: toCount(one.waiting, one),
      "not listed yet": one.unseen || null,
      parked: toCount(one.parked, one),
      arrived: one.arrived,
      "sent again": one.published,
      "failed again": one.failedAgain,
      discarded: one.discarded || null,
    })),
    // One that nobody has used shows nothing about what waits for nothing.
    lanes: lanes
      .filter(({ lane }) => lane.sinceMs !== null || failure.waiting > 0)
      .map(({ drain: of, lane }) => ({
        drain: of,
        lane: lane.sinceMs === null ? lane.state : `${lane.state} since ${formatDuration(lane.sinceMs)}`,
        next: drains.some((one) => one.drain === of && one.waiting > 0 && isHeldByRules(one))
          ? "none: rules hold this failure"
          : toNext(lane, modeOf(of)),
        why: lane.why,
      })),
    "what happened": timeLine.entries.map((entry) => ({
      when: toTime(entry.at),
      what: toWhat(entry),
      drain: entry.drain ?? "all",
      // A replica has another name after each start.
      by: toPrintable(entry.by.replace(/^daemon .*/, "daemon")),
      how: toPrintable(toHappened(entry, lanes, now)),
    })),
    "read back to": timeLine.readTo === null ? "" : toWhen(timeLine.readTo),
  };
  return toAnswerText(columns, `${id}  ${toDestinationText(origin)}: ${toAnswer(failure)}`, view, now);
}

/** As the page of the kind has it. */
export function toNext(lane: LaneStanding, mode: "plan" | "live" | undefined): string {
  if (lane.state === "open") return "";
  const isProbeOut = lane.state === "halted" && lane.sent > 0;
  const prober = toProber(mode);
  const isByApply = !isProbeOut && prober === "apply";
  return isByApply ? "with an apply: the drain only plans" : toNextByItself(lane, prober);
}

function toHappened(entry: TimeLineEntry, lanes: FailureDetails["lanes"], now: number): string {
  if (entry.probed === undefined) return toHow(entry);
  const lane = lanes.find(({ drain }) => drain === entry.drain)?.lane;
  return entry.probed
    .map(({ dlqId, result }) => {
      const came =
        result.kind === "came-back" ? `came back as ${result.as}` : toResultText(result, entry.at, lane);
      return `${dlqId}: ${came}${"at" in result ? ` at ${toClock(result.at, now)}` : ""}`;
    })
    .join("; ");
}

function toNote({ note }: FailureView, now: number): string {
  if (note === null) return "";
  const text = present([toPrintable(note.ticket), toPrintable(note.text)]).join(": ");
  return `${text} (${toPrintable(note.by)}, ${toAge(note.at, now)} ago)`;
}

function toQuiet(failure: FailureView, now: number): string {
  const { quiet } = failure;
  if (quiet === null) return "";
  const until = quiet.until === "changed" ? "it changes" : toTime(quiet.until);
  return `until ${until} (${toPrintable(quiet.by)}, ${toAge(quiet.at, now)} ago)${toQuietEnd(failure)}`;
}

/** `30 arrived, 2 of them in this hour, at most 20 in one`. */
function toHours(arrivals: HourlyArrivals, now: number): string {
  const last = Math.floor(now / hourMs);
  const hours = Array.from({ length: hoursShown }, (_, ago) => arrivals[last - ago] ?? 0);
  const all = sumOf(hours, (count) => count);
  return `${all} arrived, ${hours[0]} of them in this hour, at most ${Math.max(...hours)} in one`;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(5, 10);
}

/** `11-20 40`, in UTC, today last. */
function toDays(arrivals: HourlyArrivals, now: number): readonly string[] {
  const hours = Object.entries(arrivals).map(([hour, count]) => ({
    day: dayOf(Number(hour) * hourMs),
    count,
  }));
  return Array.from({ length: daysShown }, (_, index) => {
    const day = dayOf(now - (daysShown - 1 - index) * hoursShown * hourMs);
    return `${day} ${sumOf(hours, (one) => (one.day === day ? one.count : 0))}`;
  });
}

/** `republish (rule outage)`, or the share of each, the most first. */
function toRuled(failure: FailureView): readonly string[] {
  const shares = toRuledShares(failure);
  if (shares.length === 0) return [whyNotRuled(failure)];
  const isOne = new Set(shares.map(({ drain }) => drain)).size === 1;
  return shares.map(({ drain, then, rule, share }) => {
    const part = share === 1 ? "" : `${toPercent(share)}% `;
    const by =
      rule === null ? "no rule is asked: parked already" : rule === "otherwise" ? rule : `rule ${rule}`;
    return `${isOne ? "" : `${drain}: `}${part}${then} (${by})`;
  });
}
