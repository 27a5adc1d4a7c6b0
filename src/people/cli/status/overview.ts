/** What `redriver status` prints: the verdict, the drains, and their destinations by trouble, as many as fit the window. */
import { cutMiddle, toDestinationText } from "../../operations/destination-text.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import {
  counted,
  ifAny,
  number,
  present,
  toAge,
  toCertain,
  toClock,
  toEnteredBy,
  toExpiringCount,
  toIn,
  toTime,
  toUntil,
} from "../../operations/phrases.ts";
import { toCount, toTableOfLines } from "../output/table.ts";
import { wrapWords } from "../output/wrap.ts";
import type { DestinationStatus, Status } from "../../operations/status/read.ts";
import { sumOf, toExpired } from "../../read/totals.ts";
import { toSaveTexts } from "../../operations/status/expiring.ts";
import { toNowHeadline } from "../../operations/status/headline.ts";
import { toNeeds } from "../../operations/status/needs.ts";
import { toRounded, toVerdict } from "../../operations/status/verdict.ts";
import { styleText } from "node:util";

interface Row extends DestinationStatus {
  readonly stillCounting: boolean;
  readonly isPlan: boolean;
  /** The index whose guard holds its drain back. */
  readonly index: string | undefined;
}

/** Of what is no terminal: as many as a small one has. */
const usualRows = 24;
const minDrains = 5;
const maxOrigin = 44;
/** Headings, empty lines, what is not shown of both tables, and two of the replicas. */
const otherLines = 10;
const minDestinations = 3;

/** `rows`: of the window; Infinity: it is none. */
export function toOverview(
  { columns, rows }: { readonly columns: number; readonly rows: number },
  status: Status,
  isColoured: boolean,
): string {
  const { drains, replicas, at } = status;
  // Less the line in which a prompt or a cursor stands.
  const room = (Number.isFinite(rows) ? rows : usualRows) - 1;
  const verdict = toVerdict(status);
  const shown = drains
    .toSorted((one, other) => other.outlook.waiting - one.outlook.waiting)
    .slice(0, Math.max(minDrains, Math.floor(room / 4)));
  const headline = wrapWords(columns, 0, "", verdict);
  const expiring = toExpiringText(columns, status);
  const used = linesIn(headline) + linesIn(expiring.join("\n")) + shown.length + otherLines;
  const sections = [
    isColoured ? styleText(["bold", colourOf(status)], headline, { validateStream: false }) : headline,
    `${toDrains()}${moreOf(drains.length - shown.length, "drain")}`,
    ...expiring,
    ...toDestinations(columns, status, Math.max(minDestinations, room - used)),
    toReplicasLine(status),
  ];
  return sections.join("\n");

  function toDrains(): string {
    return toTableOfLines(columns, shown, {
      drain: ({ drain }) => drain,
      mode: ({ mode, paused }) => (paused === null ? (mode ?? "-") : "paused"),
      waiting: ({ outlook, lastSuccessAt, openPass, ...one }) =>
        lastSuccessAt || openPass || outlook.waiting > 0 ? toCount(outlook.waiting, one) : "-",
      parked: ({ parked, ...one }) => (parked === undefined ? "-" : toCount(parked, one)),
      unproven: ({ inDoubt, outlook }) => (inDoubt === undefined ? "-" : outlook.waitingForProof),
      oldest: ({ outlook, parked = 0, oldestRecordAt }) =>
        oldestRecordAt && outlook.waiting + parked > 0 ? toAge(oldestRecordAt, at) : "-",
      "per s": ({ outlook }) => (outlook.perSecond === null ? "-" : toRounded(outlook.perSecond)),
      pass: (drain) => toPassText(drain, status),
    });
  }

  function toPassText(drain: Status["drains"][number], { replicas: running }: Status): string {
    if (drain.openPass !== null && drain.openPass !== undefined) {
      return `open for ${toAge(drain.openPass.startedAt, at)}`;
    }
    const { nextPassAt } = drain;
    if (nextPassAt === null) return "none";
    // What Redis has scheduled begins only if a replica runs.
    if (running.length === 0) return "no replica";
    return nextPassAt >= at ? toIn(nextPassAt - at) : `late by ${formatDuration(at - nextPassAt)}`;
  }

  function toReplicasLine({ documentHash }: Status): string {
    const differing = replicas.filter(
      ({ sameDocument, rejected }) => !sameDocument || rejected !== null,
    ).length;
    const document = documentHash === null ? "" : `, document ${documentHash}`;
    const differ = differing === 0 ? "" : `, ${differing} under another document`;
    const enteredBy = toEnteredBy(
      drains.map((facts) => ({ facts })),
      at,
    );
    const asOf = `as of ${toTime(at).slice(11)}${enteredBy && `, counting what ${enteredBy}`}`;
    const text = `${asOf}: ${counted(replicas.length, "replica")}${document}${differ}; redriver status <drain> has the details`;
    return wrapWords(columns, 0, "", text);
  }
}

function linesIn(text: string): number {
  return text.split("\n").length - 1;
}

const maxExpiring = 3;

/** Which expire first, and the first thing that would save them. */
function toExpiringText(columns: number, { expiring, at }: Status): readonly string[] {
  const { count, atLeast, by, asOf, groups } = expiring;
  if (atLeast === 0) return [];
  const all =
    count === null
      ? `at least ${number(atLeast)}, still counting`
      : toExpiringCount(count, groups[0]?.earliestAt ?? Infinity, at);
  const since = asOf === null || at - asOf < 60_000 ? "" : `, as of ${toClock(asOf, at)}`;
  const rows = groups.slice(0, maxExpiring).map((group) => {
    const { count: some, origin, drains, earliestAt } = group;
    const of = origin === null ? "of no drain" : `for ${cutMiddle(toDestinationText(origin), maxOrigin)}`;
    const first = earliestAt <= at ? `since ${toClock(earliestAt, at)}` : toIn(earliestAt - at);
    const [how] = toSaveTexts(group);
    const by = drains.length === 0 ? "" : ` (${drains.join(", ")})`;
    return wrapWords(
      columns,
      2,
      "",
      `${toExpiringCount(some, earliestAt, at)} ${of}${by}, the first ${first}: ${how?.text}`,
    );
  });
  const more = moreOf(groups.length - rows.length, "kind").replace(/^and/, "  and");
  return [
    `${wrapWords(columns, 0, "", `expire by ${toClock(by, at)}: ${all}${since}`)}${rows.join("")}${more}`,
  ];
}

function moreOf(count: number, what: string): string {
  return count > 0 ? `and ${counted(count, `more ${what}`)}\n` : "";
}

/**
 * Those with most that wait and are parked, of these in trouble first. So what is left out is the small end of the
 * backlog, and its line counts what waits there.
 */
function toDestinations(columns: number, { drains, at }: Status, max: number): readonly string[] {
  const rows = drains
    .flatMap(({ destinations, stillCounting, mode, guards }) => {
      const index = guards.find(({ effect }) => effect === "closed")?.index;
      return destinations.map((one): Row => ({ ...one, stillCounting, isPlan: mode === "plan", index }));
    })
    .filter(({ waiting, parked }) => waiting + parked > 0)
    .toSorted((one, other) => toBacklog(other) - toBacklog(one) || toTrouble(other) - toTrouble(one));
  if (rows.length === 0) return [];
  const shown = rows
    .slice(0, max)
    .toSorted((one, other) => toTrouble(other) - toTrouble(one) || other.waiting - one.waiting);
  const hidden = rows.slice(max);
  const table = toTableOfLines(columns, shown, {
    destination: ({ origin }) => toDestinationText(origin),
    waiting: (row) => toCount(row.waiting, row),
    parked: (row) => toCount(row.parked, row),
    again: ({ failedAgain }) => failedAgain,
    since: ({ failingSince }) => (failingSince === null ? "-" : toAge(failingSince, at)),
    lane: (row) => toLaneText(row, at),
  });
  return [`${table}${toHidden(columns, hidden)}`];
}

/** `and 24 more destinations: 3,120 waiting, 3 halted or paused`. */
function toHidden(columns: number, hidden: readonly Row[]): string {
  if (hidden.length === 0) return "";
  const isExact = !hidden.some(({ stillCounting }) => stillCounting);
  const toSum = (toNumber: (row: Row) => number): string =>
    toCertain({ count: sumOf(hidden, toNumber), isExact, ...toExpired(hidden, toNumber) });
  const what = present([
    `${toSum((row) => row.waiting)} waiting`,
    hidden.some(({ parked }) => parked > 0) && `${toSum((row) => row.parked)} parked`,
    ifAny(
      hidden.reduce((sum, row) => sum + toTrouble(row), 0),
      "halted or paused",
    ),
  ]);
  return wrapWords(columns, 0, "", `and ${counted(hidden.length, "more destination")}: ${what.join(", ")}`);
}

function toBacklog({ waiting, parked }: DestinationStatus): number {
  return waiting + parked;
}

function toTrouble({ lane, isPaused, waiting }: DestinationStatus): number {
  return (isPaused || lane?.state === "halted") && waiting > 0 ? 1 : 0;
}

function toLaneText({ lane, pause, isPaused, isPlan, isHeldByRules, index }: Row, at: number): string {
  if (isPaused) return pause?.until === undefined ? "paused" : `paused until ${toUntil(pause.until, at)}`;
  if (isHeldByRules) return "held by rules";
  if (isPlan) return "plan mode";
  if (index !== undefined && lane?.state !== "halted") return `waits for index ${index}`;
  if (lane === null) return "-";
  const { state, sent, nextInMs } = lane;
  if (state === "open") return state;
  if (state === "halted" && sent > 0) return "halted, probe is out";
  return state === "halted"
    ? `halted, probe ${toIn(nextInMs)}`
    : nextInMs === 0
      ? `${state}, sends now`
      : `${state}, step ${toIn(nextInMs)}`;
}

/** As the console has it, but green only if nobody is needed at all. The words say the same without it. */
function colourOf(status: Status): "green" | "yellow" | "red" {
  const needs = toNeeds(status);
  const { mood } = toNowHeadline(status, needs);
  if (mood === "bad") return "red";
  return mood === "warn" || needs.length > 0 ? "yellow" : "green";
}
