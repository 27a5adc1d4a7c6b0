import { toPrintable } from "../../../job/message/show-masked-values.ts";
import type { HourlyArrivals } from "../../../job/contracts/failures.ts";
import type { FailureOfDrain } from "../../read/counts-by-kind.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toAsText, toStateText } from "../../operations/failures/state-text.ts";
import { joined, present, toAge, toKnown, toTime } from "../../operations/phrases.ts";
import { toSparkline, type Bars } from "../output/sparkline.ts";
import { wrapList, wrapText, wrapWords } from "../output/wrap.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import type { FailureDetails } from "../../operations/failures/details.ts";
import { toPercent, toRuledShares, whyNotRuled } from "../../operations/failures/ruled.ts";
import { toAnswerText } from "../../read/answer-text.ts";
import { toNextStepText } from "../../operations/lane-words.ts";

const hourMs = 3_600_000;
const hoursShown = 24;
const daysShown = 7;
const labelWidth = 13;

interface Shown {
  readonly now: number;
  readonly bars: Bars;
}

export function toFailureText(
  columns: number,
  { failure, arrivals, lanes, sample }: FailureDetails,
  { now, bars }: Shown,
): string {
  const { id, origin, since, firstMetAt, drain, lastSeenAt, drains, source } = failure;
  const field = (label: string, text: string): string =>
    wrapWords(columns, 2, label.padEnd(labelWidth), text);
  const list = (label: string, items: readonly (string | false)[]): string =>
    wrapList(columns, 2, label, items, labelWidth);
  const toWhen = (at: number): string => `${toTime(at)}, ${toAge(at, now)} ago`;
  return joined(
    wrapText(columns, 0, "", `${id}  ${toDestinationText(origin)}  source ${source}`),
    field("answer", toAnswerText(failure)),
    since !== null && field("failing", `since ${toTime(since)}, ${toAge(since, now)}`),
    field("first met", `${toWhen(firstMetAt)}, by drain ${drain}`),
    field("last seen", toWhen(lastSeenAt)),
    toHoursText(),
    list("last 7 days", toDays(arrivals, now)),
    ...drains.map((one) => list(one.drain, toCounts(one))),
    failure.failedAgainAs.length > 0 && field("failed again", toAsText(failure)),
    list("rules", toRuled(failure)),
    "explanation" in sample
      ? field("sample", `${sample.explanation.dlqId}: ${sample.explanation.explanation}`) +
          field("", `redriver rules explain ${sample.explanation.dlqId} --drain ${sample.explanation.drain}`)
      : field("sample", sample.missing),
    // One that nobody has used shows nothing about what waits for nothing.
    ...lanes
      .filter(({ lane }) => lane.sinceMs !== null || failure.waiting > 0)
      .map(({ drain: of, lane }) =>
        list("lane", [
          lanes.length > 1 && `of ${of}`,
          lane.sinceMs === null ? lane.state : `${lane.state} since ${formatDuration(lane.sinceMs)}`,
          lane.why ?? "",
          lane.state !== "open" && toNextStepText(lane),
        ]),
      ),
    field("state", toStateText(failure, now)),
    toNote(),
    toQuiet(),
  );

  function toHoursText(): string {
    const hours = toHours(arrivals, now);
    const all = hours.reduce((sum, count) => sum + count, 0);
    const most = Math.max(...hours);
    const line = toSparkline(hours, hoursShown, bars);
    return field("last 24 h", `${line}  ${all} arrived, at most ${most} in an hour`);
  }

  function toNote(): string {
    const { note } = failure;
    if (note === null) return "";
    const text = present([toPrintable(note.ticket), toPrintable(note.text)]).join(": ");
    return field("note", `${text} (${toPrintable(note.by)}, ${toAge(note.at, now)} ago)`);
  }

  function toQuiet(): string {
    const { quiet, quietEnded } = failure;
    if (quiet === null) return "";
    const until = quiet.until === "changed" ? "it changes" : toTime(quiet.until);
    const who = `${toPrintable(quiet.by)}, ${toAge(quiet.at, now)} ago`;
    return field("quiet", `until ${until} (${who})${quietEnded === null ? "" : toEndText(failure)}`);
  }
}

function toEndText({ quietEnded, quiet, largestHour }: FailureView): string {
  if (quietEnded === "arrivals") {
    return `; over: ${largestHour} arrived in an hour, at most ${quiet?.largestHour ?? 0} before`;
  }
  return quietEnded === "rules" ? "; over: its rules decide otherwise now" : "; over";
}

function toHours(arrivals: HourlyArrivals, now: number): readonly number[] {
  const last = Math.floor(now / hourMs);
  return Array.from({ length: hoursShown }, (_, index) => arrivals[last - hoursShown + 1 + index] ?? 0);
}

/** `11-20`, in UTC. */
function dayOf(at: number): string {
  return new Date(at).toISOString().slice(5, 10);
}

/** `11-20 40`, in UTC, today last. */
function toDays(arrivals: HourlyArrivals, now: number): readonly string[] {
  const sums = new Map<string, number>();
  for (let ago = daysShown - 1; ago >= 0; ago -= 1) sums.set(dayOf(now - ago * hoursShown * hourMs), 0);
  for (const [hour, count] of Object.entries(arrivals)) {
    const day = dayOf(Number(hour) * hourMs);
    const sum = sums.get(day);
    if (sum !== undefined) sums.set(day, sum + count);
  }
  return [...sums].map(([day, count]) => `${day} ${count}`);
}

function toCounts(one: FailureOfDrain): readonly (string | false)[] {
  return [
    `${toKnown(one.waiting, one.stillCounting)} waiting`,
    one.unseen > 0 && `${one.unseen} of them not listed yet`,
    `${toKnown(one.parked, one.stillCounting)} parked`,
    `${one.arrived} arrived`,
    `${one.published} sent again`,
    `${one.failedAgain} failed again`,
  ];
}

/** `republish (rule outage)`, or the share of each, the most first. */
function toRuled(failure: FailureView): readonly string[] {
  const shares = toRuledShares(failure);
  if (shares.length === 0) return [whyNotRuled(failure)];
  const isOne = new Set(shares.map(({ drain }) => drain)).size === 1;
  return shares.map(({ drain, then, rule, share }) => {
    const part = share === 1 ? "" : `${toPercent(share)}% `;
    return `${isOne ? "" : `${drain}: `}${part}${then} (${rule === "otherwise" ? rule : `rule ${rule}`})`;
  });
}
