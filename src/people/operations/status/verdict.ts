/** The first line of `redriver status`: what a person needs to know before anything else. */
import { errorTable } from "../../../job/contracts/errors.ts";
import { toFailureOfName } from "../../../job/message/destination-names.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { cut, counted, number, present, toCertain, toClock, toIn, toUntil, type Part } from "../phrases.ts";
import { cutMiddle, toDestinationText } from "../destination-text.ts";
import { toUnselected } from "../../read/of-no-drain.ts";
import { toLongPauses, toRest } from "../../read/deliveries.ts";
import { isAtLeast, sumOf, toAgain, toAtLeast, toExpired, toTotals } from "../../read/totals.ts";
import { toWaiting } from "../pauses/at-the-service.ts";
import type { PauseRecord } from "../../../job/contracts/pauses.ts";
import type { Status } from "./read.ts";
import { hasNeverPassed, toUnknown } from "./unknown.ts";
import { toNextByItself, toProber, type Prober } from "../lane-words.ts";

type DrainStatus = Status["drains"][number];

/** What needs a person comes before what goes on by itself. */
export function toVerdict(status: Status): string {
  const parked = toParkedTexts(status);
  const isQuiet = toTotals(status).waiting === 0;
  const first = [...toUrgent(status), ...(isQuiet ? parked : [])];
  const headline = toHeadline(status);
  return present([
    ...(status.replicas.length === 0 ? [headline, ...first] : [...first, headline]),
    ...toNotes(status),
    ...(isQuiet ? [] : parked),
  ]).join("; ");
}

function toUrgent(status: Status): readonly string[] {
  return [...toRestTexts(status).map(({ text }) => text), toUnsentText(status)];
}

function toParkedTexts(status: Status): readonly Part[] {
  const { parked, wouldBeParked, expired } = toTotals(status);
  const toParked = (count: number): string =>
    toCertain({ count, isExact: !isAtLeast(status), ...expired.parked });
  return [
    parked > 0 && `${toParked(parked)} parked for a person`,
    wouldBeParked > 0 && `${toParked(wouldBeParked)} would be parked for a person`,
  ];
}

function toNotes(status: Status): readonly Part[] {
  const { drains, sources, replicas, documentProblems } = status;
  return [
    ...toHaltNotes(drains),
    ...toPauseNotes(status),
    ...sources.map((source) => toBehind(source, sources.length === 1)),
    ...sources.map(toBrakeNote),
    ...toHoldNotes(status),
    ...sources.flatMap((source) => toSourceNotes(source, status.at)),
    toSharedText(status),
    ...toReplicaNotes(replicas),
    documentProblems > 0 &&
      `the drains document has ${counted(documentProblems, "problem")}, see redriver rules check`,
    drains.some(({ openPass, nextPassAt }) => openPass === null && nextPassAt === null) &&
      replicas.length > 0 &&
      "not every drain is scheduled",
    !status.redisFit && "nothing new is begun: redriver doctor says what is wrong with Redis",
  ];
}

function toBrakeNote({ source, brakes }: Status["sources"][number]): Part {
  if (brakes === null) return `the service of ${source} does not say what waits behind a brake`;
  return brakes.length > 0 && `braked at the service: ${toWaiting(brakes)}, redriver resume lets go`;
}

/** Nothing waits in the queue. What was published may still wait at the service. */
function toQuiet(status: Status): string {
  const { drains, sources, at } = status;
  const standings = sources.map(({ deliveries }) => deliveries?.standing);
  const nothing = toTotals(status).parked > 0 ? "nothing else waits" : "nothing waits here";
  if (standings.includes("behind") || standings.includes("unreported")) return nothing;
  if (standings.includes("watched")) return `${nothing}: deliveries are still watched`;
  if (standings.includes("unwatched")) {
    return `${nothing}: what was sent within the hour may still fail again`;
  }
  const others = present([...toUrgent(status), ...toParkedTexts(status), ...toNotes(status)]);
  if (others.length > 0 || !drains.some(isActing)) return nothing;
  const listedAt = Math.min(...sources.map(({ listed }) => listed.at ?? 0));
  return `all clear: nothing waits, listed ${formatDuration(Math.max(1_000, at - listedAt))} ago`;
}

export function toBehind({ source, deliveries }: Status["sources"][number], isOnly: boolean): Part {
  if (deliveries?.standing !== "behind" && deliveries?.standing !== "unreported") return false;
  const { standing, undelivered } = deliveries;
  const count = undelivered === null ? "messages" : `at least ${number(undelivered)}`;
  const of = isOnly ? "" : ` of ${source}`;
  if (standing === "unreported") return `no callback${of} tells of ${count} that went: do callbacks arrive?`;
  return `the service${of} still has ${count} to deliver`;
}

/**
 * Why a source is not called: `the service does not answer`, as replicas last told; or `the service asked for a pause
 * until 12:05 UTC (publish)`.
 */
export function toRestTexts({ sources, replicas, at }: Pick<Status, "sources" | "replicas" | "at">) {
  return sources.flatMap(({ source, servicePauses }) => {
    const rest = toRest(replicas, source);
    const of = sources.length === 1 ? "" : ` of ${source}`;
    const pauses = toLongPauses(servicePauses, at);
    if (rest === null && pauses.length > 0) {
      const ends = pauses.map(({ calls, until }) => `${toClock(until, at)} (${calls})`).join(" and ");
      return [
        { source, isHalted: false, isAsked: true, text: `the service${of} asked for a pause until ${ends}` },
      ];
    }
    if (rest === null) return [];
    const { code, halted, isOfAll } = rest;
    const since = rest.since === null ? "" : ` since ${toClock(rest.since, at)}`;
    const nothing = isOfAll ? "nothing is sent" : `${halted} of ${replicas.length} replicas send nothing`;
    const text =
      halted > 0
        ? `${nothing}${of}${since}: ${errorTable[code].meaning}`
        : `the service${of} does not answer${since}: it is tried again within 20 s`;
    return [{ source, isHalted: halted > 0, isAsked: false, text }];
  });
}

/** `466 expire unless a person acts, the first in 40m`; empty for none that is known. */
export function toUnsentText({ expiring: { unsent, groups }, at }: Pick<Status, "expiring" | "at">): string {
  const { atLeast, isExact, earliestAt } = unsent;
  if (atLeast === 0) return "";
  // What is gone by then is taken off by the next count.
  const over = groups.find((group) => group.unsent > 0 && group.earliestAt <= at);
  const next = groups.find((group) => group.unsent > 0 && group.earliestAt > at);
  const isNextKnown = next !== undefined && next.unsent === next.count;
  const gone =
    over &&
    `, less what is gone since ${toClock(over.earliestAt, at)}${isNextKnown ? `, the next kind ${toIn(next.earliestAt - at)}` : ""}`;
  const first = gone ?? (earliestAt === null ? "" : `, the first ${toIn(earliestAt - at)}`);
  return `${isExact ? "" : "at least "}${number(atLeast)} expire unless a person acts${first}`;
}

/** A replica under another document than this may send what no drain of this one does. Empty: none is. */
export function toOtherDocumentText({ replicas }: Pick<Status, "replicas">): string {
  const others = replicas.filter(({ sameDocument }) => !sameDocument);
  if (others.length === 0) return "";
  const where =
    others.length === replicas.length ? "" : ` in ${others.length} of ${replicas.length} replicas`;
  const isIdle = others.every(({ modes }) => modes && !Object.values(modes).includes("live"));
  return `another document is in force${where}: it ${isIdle ? "sends nothing" : "may send"}`;
}

const toPlanned = ({ outlook, ...one }: DrainStatus): number => outlook.waiting - toAgain(one).waiting;

const isActing = ({ mode, paused }: DrainStatus): boolean => mode === "live" && paused === null;

export function toHeadline(status: Status): string {
  const { drains } = status;
  const other = toOtherDocumentText(status);
  if (other === "") return toWork(status);
  const { waiting, expired } = toTotals(status);
  if (waiting === 0) return other;
  const isKnown = drains.every(({ mode, paused }) => mode !== null || paused !== null);
  if (isKnown && drains.some(isActing)) return `${other}; ${toWork(status)}`;
  const perSecond = toRounded(sumOf(drains, ({ outlook }) => outlook.perSecond ?? 0));
  const count = toCertain({ count: waiting, isExact: !isAtLeast(status), ...expired.waiting });
  const isCounting = drains.some(({ stillCounting }) => stillCounting);
  return present([
    other,
    `${count} waiting`,
    isCounting && "still counting",
    perSecond > 0 && `${number(perSecond)}/s`,
  ]).join(", ");
}

function toWork(status: Status): string {
  const { drains, replicas, at } = status;
  const { waiting: listed, waitingOften, expired } = toTotals(status);
  const isCounting = drains.some(({ stillCounting }) => stillCounting);
  const waiting = toCertain({ count: listed, isExact: !isAtLeast(status), ...expired.waiting });
  const nothing = listed > 0 ? "" : toUnknown(status) || toQuiet(status);
  if (replicas.length === 0) {
    const known = nothing === "" ? `, ${waiting} waiting` : `; ${nothing}`;
    return `not running: no replica${listed === 0 && drains.every(hasNeverPassed) ? "" : known}`;
  }
  const acting = drains.filter(isActing);
  if (acting.length === 0) {
    const paused = drains.find((one) => one.paused !== null)?.paused ?? null;
    const what = nothing || `${waiting} waiting${isCounting ? ", still counting" : ""}`;
    return paused === null ? `plan mode, nothing is sent: ${what}` : `${toPausedBy(paused, at)}; ${what}`;
  }
  if (nothing !== "") return nothing;
  const going = Math.min(
    listed,
    sumOf(acting, ({ outlook }) => outlook.going),
  );
  const perSecond = sumOf(acting, ({ outlook }) => outlook.perSecond ?? 0);
  const backlog = sumOf(drains, ({ outlook }) => outlook.backlog) - waitingOften;
  const planning = drains.filter(({ mode, paused }) => mode === "plan" && paused === null);
  const planned = { count: sumOf(planning, toPlanned), isExact: true, ...toExpired(planning, toPlanned) };
  const unproven = toProofText(status, going > 0);
  const left = present([
    isAtLeast(status)
      ? `${waiting} left${isCounting ? ", still counting" : ""}`
      : `${waiting} of ${number(Math.max(backlog, listed))} left`,
    planned.count > 0 && `${toCertain(planned)} of them only planned`,
    unproven,
  ]).join(", ");
  if (going === 0) return `waiting: ${left}${unproven === "" ? ", none can go now" : ""}`;
  if (toRounded(perSecond) === 0) return `waiting: ${left}`;
  const times = acting.flatMap(({ outlook }) => outlook.atRateMs ?? []);
  const isKnown = acting.every(({ outlook }) => outlook.going === 0 || outlook.atRateMs !== null);
  const of = going < listed ? `${number(going)} of them gone` : "gone";
  const gone =
    isKnown &&
    times.length > 0 &&
    `at this rate ${of} in ${formatDuration(roundEstimate(Math.max(...times)))}`;
  return present([`draining: ${left}`, `${number(toRounded(perSecond))}/s`, gone]).join(", ");
}

/** In ms. A rate of one minute does not know the seconds of a longer time. */
function roundEstimate(ms: number): number {
  return ms < 600_000 ? Math.max(1_000, ms) : Math.round(ms / 60_000) * 60_000;
}

/** While others go, only of what is in doubt: what is in flight has its answer in a moment. */
function toProofText({ sources, drains, at }: Status, isSending: boolean): string {
  const count = sumOf(drains, ({ outlook }) => outlook.waitingForProof);
  const isInDoubt = sources.some(({ unknown = 0 }) => unknown > 0);
  if (count === 0 || (isSending && !isInDoubt)) return "";
  const times = sources.flatMap(({ triedAgainAt }) => triedAgainAt ?? []);
  const again = times.length === 0 ? "" : `, tried again from ${toClock(Math.min(...times), at)}`;
  return `${number(count)} wait for proof${again}`;
}

/** The halted destination with most that waits, and how many others there are. */
function toHaltNotes(drains: readonly DrainStatus[]): readonly Part[] {
  const [first, ...more] = drains
    .flatMap(({ mode, destinations }) => destinations.map((one) => ({ ...one, prober: toProber(mode) })))
    .filter(({ lane, waiting }) => lane?.state === "halted" && waiting > 0)
    .toSorted((one, other) => other.waiting - one.waiting);
  return [
    first !== undefined && `${toHost(first.origin)} halted${toNextProbe(first)}`,
    more.length > 0 && `${counted(more.length, "more destination")} halted`,
  ];
}

function toHoldNotes(status: Status): readonly Part[] {
  const { drains } = status;
  const toCount = (name: Extract<keyof DrainStatus["outlook"], `waiting${string}`> | "heldByRules") =>
    toAtLeast(status, ({ outlook }) => outlook[name]);
  const later = toCount("waitingForAttempt");
  const ruled = toCount("heldByRules");
  const isRuledCounted = drains.every(
    ({ outlook }) => outlook.heldByRules === 0 || outlook.heldByRulesAt !== null,
  );
  const forPerson = toCount("waitingForPerson");
  const forDate = toCount("waitingForDate");
  const refused = toCount("waitingAfterRefusal");
  const forDay = toCount("waitingForDay");
  const closed = drains.flatMap(({ guards }) => guards.filter(({ effect }) => effect === "closed"));
  const indexes = [...new Set(closed.map(({ index }) => index))];
  return [
    later.count > 0 && `${toCertain(later)} wait for their next attempt`,
    forDate.count > 0 && `${toCertain(forDate)} wait for their own date`,
    refused.count > 0 && `${toCertain(refused)} refused by the service, and tried again after a pause`,
    forDay.count > 0 && `${toCertain(forDay)} wait for midnight in UTC, as perDay is reached`,
    forPerson.count > 0 && `${toCertain(forPerson)} held until a person acts`,
    ruled.count > 0 &&
      `${toCertain({ ...ruled, isExact: ruled.isExact && isRuledCounted })} of them held by rules`,
    indexes.length > 0 && `index ${indexes.join(", ")} holds messages back`,
  ];
}

function toReplicaNotes(replicas: Status["replicas"]): readonly Part[] {
  const rejecting = replicas.filter(({ rejected }) => rejected !== null).length;
  const withoutArchive = replicas.filter(({ archive }) => archive !== undefined && archive !== null).length;
  return [
    rejecting > 0 &&
      `${counted(rejecting, "replica rejects its drains document and goes", "replicas reject their drains document and go")} on as before`,
    withoutArchive > 0 && `${counted(withoutArchive, "replica")} cannot write to the archive`,
  ];
}

/** Of drains, destinations and kinds of failure that are paused: the first, and how many others there are. */
function toPauseNotes({ drains, sources, replicas, at }: Status): readonly Part[] {
  // If nothing acts, the headline names the pause.
  const acts = toOtherDocumentText({ replicas }) !== "" || drains.some(isActing);
  const [drain, ...moreDrains] = acts ? drains.filter(({ paused }) => paused !== null) : [];
  const [host, ...moreHosts] = drains
    .flatMap(({ destinations }) => destinations.filter(({ pause }) => pause !== null))
    .toSorted((one, other) => other.waiting - one.waiting);
  const [kind, ...moreKinds] = sources
    .flatMap(({ hostPauses }) => hostPauses)
    .filter((pause) => toFailureOfName(pause.host ?? "") !== null);
  return [
    drain !== undefined && drain.paused !== null && `${drain.drain} ${toPausedBy(drain.paused, at)}`,
    moreDrains.length > 0 && `${counted(moreDrains.length, "more drain")} paused`,
    host !== undefined && host.pause !== null && `${toHost(host.origin)} ${toPausedBy(host.pause, at)}`,
    moreHosts.length > 0 && `${counted(moreHosts.length, "more destination")} paused`,
    kind !== undefined && `failure ${toFailureOfName(kind.host ?? "")} ${toPausedBy(kind, at)}`,
    moreKinds.length > 0 &&
      `${counted(moreKinds.length, "more kind of failure", "more kinds of failure")} paused`,
  ];
}

const maxHost = 44;

function toHost(origin: string): string {
  return cutMiddle(toDestinationText(origin), maxHost);
}

/** So that pauses leave room for the rest of a verdict. `status <drain>` has the whole. */
const maxBy = 20;
const maxReason = 40;

/** `paused by ada until 15:30 UTC: they move`. */
export function toPausedBy(paused: NonNullable<DrainStatus["paused"]> | PauseRecord, at: number): string {
  if (!("reason" in paused)) return "paused by the drains document";
  const { by, until, reason } = paused;
  const end = until === undefined ? "" : ` until ${toUntil(until, at)}`;
  return `paused by ${cut(toPrintable(by), maxBy)}${end}: ${cut(toPrintable(reason), maxReason)}`;
}

/** A drain that only plans has none until somebody applies. */
function toNextProbe({
  lane,
  prober,
}: Pick<DrainStatus["destinations"][number], "lane"> & { readonly prober: Prober }): string {
  const hasNone = lane === null || (prober === "apply" && lane.sent === 0);
  return hasNone ? "" : `, ${toNextByItself(lane, prober)}`;
}

/** `340 count once, and in several drains`; empty: nothing does, or it is not counted. */
export function toSharedText(status: Pick<Status, "drains" | "sources">): string {
  if (isAtLeast(status)) return "";
  const often = sumOf(status.sources, ({ shared }) => (shared?.waiting ?? 0) + (shared?.parked ?? 0));
  return often === 0 ? "" : `${number(often)} count once, and in several drains`;
}

function toSourceNotes(source: Status["sources"][number], at: number): readonly Part[] {
  const unselected = toUnselected([source], at);
  return [
    source.settleGate === "closed" && "publishing waits for deletes",
    source.census?.isOutdated === true && "what no drain selects is not counted yet",
    unselected.count > 0 && `${toCertain(unselected)} selected by no drain`,
  ];
}

/** To one decimal below 10, else to a whole number. */
export function toRounded(perSecond: number): number {
  return perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10;
}
