/** The first line of `redriver status`: what a person needs to know before anything else. */
import { toFailureOfName } from "../../message/destination-names.ts";
import { formatDuration } from "../../rules/durations.ts";
import { hostText } from "./host-text.ts";
import { counted, present, toClock, type Part } from "../output/phrases.ts";
import type { Status } from "./read.ts";

type DrainStatus = Status["drains"][number];

/** One sentence, parts of it apart by `; `. */
export function toVerdict(status: Status): string {
  const { drains, sources, replicas, documentProblems } = status;
  const parked = sum(drains, ({ parked: count }) => count ?? 0);
  const notes: readonly Part[] = [
    ...toHaltNotes(drains, status.at),
    ...toHoldNotes(drains),
    ...sources.flatMap(toSourceNotes),
    toFailurePauseNote(sources),
    ...toReplicaNotes(replicas),
    parked > 0 && `${number(parked)} parked for a person`,
    documentProblems > 0 &&
      `the drains document has ${counted(documentProblems, "problem")}, see redriver rules check`,
    drains.some(({ openPass, nextPassAt }) => openPass === null && nextPassAt === null) &&
      replicas.length > 0 &&
      "not every drain is scheduled",
  ];
  return present([toHeadline(status), ...notes]).join("; ");
}

function toHeadline({ drains, replicas, at }: Status): string {
  const listed = sum(drains, ({ outlook }) => outlook.waiting);
  const isCounting = drains.some(({ stillCounting }) => stillCounting);
  const waiting = `${isCounting ? "at least " : ""}${number(listed)}`;
  if (drains.every(({ lastSuccessAt, openPass }) => !lastSuccessAt && !openPass)) {
    return replicas.length === 0 ? "not running: no replica" : "starting: no pass has ended yet";
  }
  if (replicas.length === 0) return `not running: no replica, ${waiting} waiting`;
  if (listed === 0) return isCounting ? "counting: nothing found yet" : "all clear: nothing waits";
  const acting = drains.filter(({ mode, paused }) => mode === "live" && paused === null);
  if (acting.length === 0) {
    const why = drains.some(({ paused }) => paused !== null) ? "paused" : "plan mode, nothing is sent";
    return `${why}: ${waiting} waiting${isCounting ? ", still counting" : ""}`;
  }
  const going = sum(acting, ({ outlook }) => outlook.going);
  const perSecond = sum(acting, ({ outlook }) => outlook.perSecond ?? 0);
  const backlog = sum(drains, ({ outlook }) => outlook.backlog);
  const left = isCounting
    ? `${waiting} left, still counting`
    : `${waiting} of ${number(Math.max(backlog, listed))} left`;
  if (going === 0) return `waiting: ${left}, none can go now`;
  if (perSecond === 0) return `waiting: ${left}`;
  const ends = acting.flatMap(({ outlook }) => outlook.doneInMs ?? []);
  const isKnown = acting.every(({ outlook }) => outlook.going === 0 || outlook.doneInMs !== null);
  const some = going < listed ? `${number(going)} of them ` : "";
  const done = isKnown && ends.length > 0 && `${some}done about ${toClock(at + Math.max(...ends), at)}`;
  return present([`draining: ${left}`, `${number(toRounded(perSecond))}/s`, done]).join(", ");
}

/** The halted destination with most that waits, and how many others there are. */
function toHaltNotes(drains: readonly DrainStatus[], at: number): readonly Part[] {
  const [first, ...more] = drains
    .flatMap(({ destinations }) => destinations)
    .filter(({ lane, waiting }) => lane?.state === "halted" && waiting > 0)
    .toSorted((one, other) => other.waiting - one.waiting);
  return [
    first !== undefined && `${hostText(first.origin)} halted${toNextProbe(first.lane, at)}`,
    more.length > 0 && `${counted(more.length, "more destination")} halted`,
  ];
}

function toHoldNotes(drains: readonly DrainStatus[]): readonly Part[] {
  const later = sum(drains, ({ outlook }) => outlook.waitingForAttempt);
  const ruled = sum(drains, ({ outlook }) => outlook.heldByRules);
  const closed = drains.flatMap(({ guards }) => guards.filter(({ effect }) => effect === "closed"));
  const [paused, ...more] = drains.flatMap(({ destinations }) =>
    destinations.filter(({ isPaused }) => isPaused).toSorted((one, other) => other.waiting - one.waiting),
  );
  const indexes = [...new Set(closed.map(({ index }) => index))];
  return [
    paused !== undefined && `${hostText(paused.origin)} paused by a person`,
    more.length > 0 && `${counted(more.length, "more destination")} paused`,
    later > 0 && `${number(later)} wait for their next attempt`,
    ruled > 0 && `${number(ruled)} held by rules`,
    indexes.length > 0 && `index ${indexes.join(", ")} holds messages back`,
  ];
}

function toReplicaNotes(replicas: Status["replicas"]): readonly Part[] {
  const rejecting = replicas.filter(({ rejected }) => rejected !== null).length;
  const withoutArchive = replicas.filter(({ archive }) => archive !== undefined && archive !== null).length;
  return [
    rejecting > 0 && `${counted(rejecting, "replica rejects its", "replicas reject their")} drains document`,
    withoutArchive > 0 && `${counted(withoutArchive, "replica")} cannot write to the archive`,
  ];
}

function toFailurePauseNote(sources: Status["sources"]): Part {
  const names = sources.flatMap(({ hostPauses }) => hostPauses.map(({ host }) => host ?? ""));
  const paused = new Set(names.filter((name) => toFailureOfName(name) !== null)).size;
  return paused > 0 && `${counted(paused, "kind of failure", "kinds of failure")} paused by a person`;
}

function toNextProbe(lane: DrainStatus["destinations"][number]["lane"], at: number): string {
  if (lane === null) return "";
  const { sent, nextInMs } = lane;
  const when = nextInMs === 0 ? "now" : toClock(at + nextInMs, at);
  return sent > 0 ? `, a probe is out, result ${when}` : `, next probe ${when}`;
}

function toSourceNotes({ settleGate, census }: Status["sources"][number]): readonly Part[] {
  return [
    settleGate === "closed" && "publishing waits for deletes",
    census !== null && census.expiringUnarchived > 0 && `${number(census.expiringUnarchived)} expire soon`,
    census !== null && census.unselected > 0 && `${number(census.unselected)} selected by no drain`,
  ];
}

/** `in 40s` needs no clock; a day's end does. */
export function toIn(ms: number): string {
  return ms === 0 ? "now" : `in ${formatDuration(ms)}`;
}

/** To one decimal below 10, else to a whole number. */
export function toRounded(perSecond: number): number {
  return perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10;
}

/** `12,480`. */
export function number(count: number): string {
  return count.toLocaleString("en-US");
}

function sum<One>(all: readonly One[], of: (one: One) => number): number {
  return all.reduce((total, one) => total + of(one), 0);
}
