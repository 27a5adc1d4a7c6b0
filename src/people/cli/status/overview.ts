/** What `redriver status` prints: the verdict, the drains, and their destinations by trouble, in 80 x 24. */
import { cutMiddle, toDestinationText } from "../../operations/destination-text.ts";
import { counted, toAge, toClock, toIn } from "../../operations/phrases.ts";
import { fitted, toTable } from "../output/table.ts";
import { wrapWords } from "../output/wrap.ts";
import { toNextText } from "./drain-words.ts";
import type { Paint } from "./paint.ts";
import type { DestinationStatus, Status } from "../../operations/status/read.ts";
import { toRounded, toVerdict } from "../../operations/status/verdict.ts";

type DrainStatus = Status["drains"][number];
interface Row extends DestinationStatus {
  readonly stillCounting: boolean;
  readonly isPlan: boolean;
}

/** Of a terminal, less the line in which a prompt or a cursor stands. */
const maxLines = 23;
const shownDrains = 5;
/** Headings, empty lines, what is not shown of both tables, and the replicas. */
const otherLines = 9;
const minDestinations = 3;

export function toOverview(columns: number, status: Status, paint: Paint): string {
  const { drains, replicas, at } = status;
  const verdict = toVerdict(status);
  const shown = drains
    .toSorted((one, other) => other.outlook.waiting - one.outlook.waiting)
    .slice(0, shownDrains);
  const headline = wrapWords(columns, 0, "", verdict);
  const used = headline.split("\n").length - 1 + shown.length + otherLines;
  const sections = [
    paint.verdict(verdict, headline),
    `${fitted(columns, toDrains)}${moreOf(drains.length - shown.length, "drain")}`,
    ...toDestinations(columns, status, Math.max(minDestinations, maxLines - used)),
    toReplicasLine(status),
  ];
  return sections.join("\n");

  function toDrains(maxName: number): string {
    return toTable(shown, {
      drain: ({ drain }) => cutMiddle(drain, maxName),
      mode: ({ mode, paused }) => (paused === null ? (mode ?? "-") : "paused"),
      waiting: ({ outlook, lastSuccessAt, openPass, stillCounting }) =>
        lastSuccessAt || openPass || outlook.waiting > 0 ? toCount(outlook.waiting, stillCounting) : "-",
      parked: ({ parked }) => parked ?? "-",
      "in doubt": ({ inDoubt }) => inDoubt ?? "-",
      oldest: ({ outlook, parked = 0, oldestRecordAt }) =>
        oldestRecordAt && outlook.waiting + parked > 0 ? toAge(oldestRecordAt, at) : "-",
      "per s": ({ outlook }) => (outlook.perSecond === null ? "-" : toRounded(outlook.perSecond)),
      pass: (drain) => toPassText(drain, status),
    });
  }

  function toPassText(drain: DrainStatus, { replicas: running }: Status): string {
    if (drain.openPass !== null && drain.openPass !== undefined) {
      return `open for ${toAge(drain.openPass.startedAt, at)}`;
    }
    return toNextText(drain, running, at);
  }

  function toReplicasLine({ documentHash }: Status): string {
    const differing = replicas.filter(
      ({ sameDocument, rejected }) => !sameDocument || rejected !== null,
    ).length;
    const document = documentHash === null ? "" : `, document ${documentHash}`;
    const differ = differing === 0 ? "" : `, ${differing} under another document`;
    const text = `${counted(replicas.length, "replica")}${document}${differ}; redriver status <drain> has the details`;
    return wrapWords(columns, 0, "", text);
  }
}

function moreOf(count: number, what: string): string {
  return count > 0 ? `and ${counted(count, `more ${what}`)}\n` : "";
}

/** Those in trouble first: halted or paused, then with most that wait. */
function toDestinations(columns: number, { drains, at }: Status, max: number): readonly string[] {
  const rows = drains
    .flatMap(({ destinations, stillCounting, mode }) =>
      destinations.map((one): Row => ({ ...one, stillCounting, isPlan: mode === "plan" })),
    )
    .filter(({ waiting, parked }) => waiting + parked > 0)
    .toSorted((one, other) => toTrouble(other) - toTrouble(one) || other.waiting - one.waiting);
  if (rows.length === 0) return [];
  const shown = rows.slice(0, max);
  const toText = (maxName: number): string =>
    toTable(shown, {
      destination: ({ origin }) => cutMiddle(toDestinationText(origin), maxName),
      waiting: ({ waiting, stillCounting }) => toCount(waiting, stillCounting),
      parked: ({ parked }) => parked,
      again: ({ failedAgain }) => failedAgain,
      since: ({ failingSince }) => (failingSince === null ? "-" : toAge(failingSince, at)),
      lane: (row) => toLaneText(row, at),
    });
  const table = fitted(columns, toText);
  return [`${table}${moreOf(rows.length - shown.length, "destination")}`];
}

/** `480+`: at least so many. */
function toCount(count: number, stillCounting: boolean): number | string {
  return stillCounting ? `${count}+` : count;
}

function toTrouble({ lane, isPaused, waiting }: DestinationStatus): number {
  return (isPaused || lane?.state === "halted") && waiting > 0 ? 1 : 0;
}

function toLaneText({ lane, pause, isPlan }: Row, at: number): string {
  if (isPlan) return "plan mode";
  if (pause !== null)
    return pause.until === undefined ? "paused" : `paused until ${toClock(pause.until, at)}`;
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
