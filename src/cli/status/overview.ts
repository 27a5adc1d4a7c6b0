/** What `redriver status` prints: the verdict, the drains, and their destinations by trouble, in 80 x 24. */
import { formatDuration } from "../../rules/durations.ts";
import { counted, toAge } from "../output/phrases.ts";
import { terminalColumns, wrapWords } from "../output/wrap.ts";
import { toTable } from "../output/table.ts";
import { cut, maxName, toModeText, toNextText } from "./drain-words.ts";
import { hostText } from "./host-text.ts";
import type { Paint } from "./paint.ts";
import type { Status } from "./read.ts";
import { toIn, toRounded, toVerdict } from "./verdict.ts";

type DrainStatus = Status["drains"][number];
type DestinationStatus = DrainStatus["destinations"][number];

interface Row extends DestinationStatus {
  readonly drain: string;
  readonly stillCounting: boolean;
}

/** So that a verdict of three lines, drains, destinations and replicas fit 24 lines. */
const shownDrains = 5;
const shownRows = 12;
/** So that the columns of the destinations fit 80. */
const maxOrigin = 26;

export function toOverview(columns: number, status: Status, paint: Paint): string {
  const { drains, replicas, at } = status;
  const verdict = toVerdict(status);
  const shown = drains
    .toSorted((one, other) => other.outlook.waiting - one.outlook.waiting)
    .slice(0, shownDrains);
  const sections = [
    paint.verdict(verdict, wrapWords(columns, 0, "", verdict)),
    `${toTable(shown, {
      drain: ({ drain }) => (columns <= terminalColumns ? cut(drain, maxName) : drain),
      mode: toModeText,
      waiting: ({ outlook, lastSuccessAt, openPass, stillCounting }) =>
        lastSuccessAt || openPass || outlook.waiting > 0 ? toCount(outlook.waiting, stillCounting) : "-",
      parked: ({ parked }) => parked ?? "-",
      "in doubt": ({ inDoubt }) => inDoubt ?? "-",
      "per second": ({ outlook }) => (outlook.perSecond === null ? "-" : toRounded(outlook.perSecond)),
      pass: (drain) => toPassText(drain, status),
    })}${moreOf(drains.length - shown.length, "drain")}`,
    ...toDestinations(columns, drains, shownRows - shown.length),
    toReplicasLine(status),
  ];
  return sections.join("\n");

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
function toDestinations(columns: number, drains: readonly DrainStatus[], max: number): readonly string[] {
  const rows = drains
    .flatMap(({ drain, destinations, stillCounting }) =>
      destinations.map((one): Row => ({ ...one, drain, stillCounting })),
    )
    .filter(({ waiting, parked }) => waiting + parked > 0)
    .toSorted((one, other) => toTrouble(other) - toTrouble(one) || other.waiting - one.waiting);
  if (rows.length === 0) return [];
  const shown = rows.slice(0, max);
  const table = toTable(shown, {
    destination: ({ origin }) => (columns <= terminalColumns ? cut(hostText(origin), maxOrigin) : origin),
    waiting: ({ waiting, stillCounting }) => toCount(waiting, stillCounting),
    parked: ({ parked }) => parked,
    "failed again": ({ failedAgain }) => failedAgain,
    lane: toLaneText,
  });
  return [`${table}${moreOf(rows.length - shown.length, "destination")}`];
}

/** `480+`: at least so many. */
function toCount(count: number, stillCounting: boolean): number | string {
  return stillCounting ? `${count}+` : count;
}

function toTrouble({ lane, isPaused, waiting }: Row): number {
  return (isPaused || lane?.state === "halted") && waiting > 0 ? 1 : 0;
}

function toLaneText({ lane, isPaused }: DestinationStatus): string {
  if (isPaused) return "paused";
  if (lane === null) return "-";
  const { state, sent, nextInMs } = lane;
  if (state === "open") return state;
  if (state === "halted" && sent > 0) return "halted, probe is out";
  return state === "halted"
    ? `halted, probe ${toIn(nextInMs)}`
    : nextInMs === 0
      ? `${state}, sends now`
      : `${state}, next step in ${formatDuration(nextInMs)}`;
}
