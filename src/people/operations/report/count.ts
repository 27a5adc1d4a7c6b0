/**
 * What an outage came to, of one source. What redriver took out of the queue is counted one by one, from the audit. What
 * waits is as the passes count it. What they counted as arrived, and is neither, left without redriver. So this closes:
 *
 *   waited before + arrived = sent again + dropped + discarded + expired + gone + waits after
 *
 * Pure. Times are Unix ms. A report has whole hours, as arrivals are kept by the hour.
 */
import type { AuditAct, AuditEntry } from "../../../job/contracts/audit.ts";
import { misused } from "../../../job/contracts/errors.ts";
import { arrivalHours, type HourlyArrivals } from "../../../job/contracts/failures.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { toEnteredAt } from "../../../job/message/parse-record.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { hourMs, sumOf } from "../../read/totals.ts";

/** Each figure, in the words of a report. */
export const figureWords = {
  waitedBefore: "waited at the beginning",
  arrived: "arrived",
  sentAgain: "sent again",
  dropped: "dropped by rules",
  discarded: "discarded by people",
  expired: "expired",
  gone: "gone otherwise: not by redriver",
  waitsAfter: "waiting at the end, parked or not",
  failedAgain: "failed again (they arrived again)",
  delivered: "delivered, by a callback",
  silent: "not come back since they were sent again, which is no proof of delivery",
  parked: "parked in this time, released since or not",
  messages: "messages billed, without the service's retries",
};
export type Figure = keyof typeof figureWords;
const figureNames = Object.keys(figureWords) as Figure[];
export const eachFigure = <Value>(toValue: (name: Figure) => Value) =>
  Object.fromEntries(figureNames.map((name) => [name, toValue(name)])) as Record<Figure, Value>;

type FirstOf = { [Act in AuditAct]?: number };
/** `why`: of the reasons those that matter here. */
const newLetter = () => ({ at: {} as FirstOf, host: "", isComeBack: false, why: "", as: "", messages: 0 });

/** `from` is inclusive, `to` is not. `isHost`: null for all. */
type Span = Readonly<Record<"from" | "to" | "now" | "retentionMs", number>> & {
  readonly isHost: ((host: string) => boolean) | null;
};

export const toHour = (at: number): number => at - (at % hourMs);

/** Of so many dead letters in the queue, and how it ended. */
type Stay = readonly [many: number, enteredAt: number, leftAt: number, end: Figure];

/** Takes the entries of one source. One that was written twice counts once. */
export function createCount(maxLetters: number) {
  const letters = new Map<string, ReturnType<typeof newLetter>>();
  const parents = new Set<string>();

  function add({ act, at, records }: Pick<AuditEntry, "act" | "at" | "records">): void {
    for (const { dlqId, host, as = "", parent, reason } of records) {
      const letter = letters.get(dlqId) ?? newLetter();
      if (letters.set(dlqId, letter).size > maxLetters)
        throw misused(`redriver acted on more than ${maxLetters} dead letters: choose a later beginning`);
      letter.at[act] ??= at;
      letter.host = host ?? letter.host;
      if (reason === "discarded" || reason === "from-archive") letter.why = reason;
      if (parent !== undefined) parents.add(parent);
      letter.isComeBack ||= parent !== undefined;
      if (as !== "" && as !== letter.as) Object.assign(letter, { as, messages: letter.messages + 1 });
    }
  }

  /** `silent`: ids that are not known to have come back. `unknown`: why a figure is not known. */
  function read(
    kinds: readonly (FailureView & { readonly hours: HourlyArrivals })[],
    { from, to, now, retentionMs, isHost }: Span,
  ) {
    const figures = eachFigure(() => 0);
    const unknown = new Map<Figure, string>();
    const hosts = new Map<string, Record<"sentAgain" | "failedAgain" | "waitsAfter", number>>();
    const of = (host: string) => {
      const sums = hosts.get(host) ?? { sentAgain: 0, failedAgain: 0, waitsAfter: 0 };
      return hosts.set(host, sums) && sums;
    };
    const [silent, delays]: [string[], number[]] = [[], []];
    /** By its beginning: what arrived in each, less what redriver took of it: it waits, or expired, or is gone. */
    const hours = new Map<number, number>();
    const addTo = (hour: number, many: number) => hours.set(hour, (hours.get(hour) ?? 0) + many);
    const isIn = (at = 0): boolean => at >= from && at < to;
    const isThere = ([, enteredAt, leftAt]: Stay): boolean => leftAt >= from && enteredAt < to;
    const count = (...stays: readonly Stay[]): void => {
      for (const [many, enteredAt, leftAt, end] of stays.filter(isThere)) {
        figures[enteredAt < from ? "waitedBefore" : "arrived"] += many;
        figures[leftAt < to ? end : "waitsAfter"] += many;
      }
    };

    for (const [dlqId, { at, host, isComeBack, why, messages }] of letters) {
      if (why === "from-archive" || isHost?.(host) === false) continue;
      // A come-back, or a delete without a drop, proves what no answer told.
      const leftAt = at.published ?? at.delete ?? (parents.has(dlqId) ? at.republish : undefined);
      const enteredAt = Math.min(toEnteredAt(dlqId) ?? 0, leftAt ?? Infinity);
      if (isComeBack && isIn(enteredAt)) of(host).failedAgain += 1;
      if (isIn(at.park)) figures.parked += 1;
      if (leftAt === undefined) continue;
      addTo(toHour(enteredAt), -1);
      const isTaken = at.published === undefined && at.drop !== undefined;
      const end = isTaken ? (why === "discarded" ? why : "dropped") : "sentAgain";
      count([1, enteredAt, leftAt, end]);
      if (end !== "sentAgain" || !isIn(leftAt)) continue;
      of(host).sentAgain += 1;
      figures.messages += Math.max(1, messages);
      delays.push(leftAt - enteredAt);
      if (!parents.has(dlqId)) silent.push(dlqId);
    }

    const own = kinds
      .map(({ origin, ...kind }) => ({ ...kind, host: origin.startsWith("http") ? hostOf(origin) : origin }))
      .filter(({ host }) => isHost?.(host) !== false);
    const there = own.filter(({ waiting, parked }) => waiting + parked > 0);
    const all = sumOf(there, ({ waiting, parked }) => waiting + parked);
    if (to >= now) for (const { host, waiting, parked } of there) of(host).waitsAfter += waiting + parked;
    for (const [hour, many] of own.flatMap((kind) => Object.entries(kind.hours)))
      addTo(Number(hour) * hourMs, many);
    for (const [host, sum] of hosts) {
      // Come-backs that wait are in no audit yet.
      const again = own.filter((kind) => kind.host === host && kind.failedAgain > 0);
      const most = sumOf(again, (kind) => kind.failedAgain);
      const isMore = most > sum.failedAgain && sum.waitsAfter > 0;
      if (isMore && again.every(({ firstMetAt }) => isIn(firstMetAt))) sum.failedAgain = most;
      else if (isMore)
        unknown.set("failedAgain", `of what waits at ${host} some may have failed again before`);
      figures.failedAgain += sum.failedAgain;
    }

    const stays = [...hours].map(([at, many]): Stay => [many, at, at + hourMs + retentionMs - 1, "expired"]);
    /** That waits, or is gone. A count that a killed process lost is missing. */
    const rest = (first: number, end: number): number =>
      sumOf(stays, ([many, at, until]) => (at >= first && at < end && until >= now ? many : 0));
    const isStale = there.some(({ expiredSince }) => expiredSince !== undefined);
    const isSince = (at: number): boolean => !isStale && there.every(({ since }) => (since ?? 0) >= at);
    const enteredSince = (at: number): number =>
      isSince(at) ? all : Math.max(0, Math.min(all, rest(at, now)));
    const [since, later] = [enteredSince(from), to >= now ? 0 : enteredSince(to)];
    count([all - since, from - 1, Infinity, "gone"], [since - later, from, Infinity, "gone"]);
    const gone: Stay = [rest(from, to) - since + later, from, from, "gone"];
    const others = [gone, ...stays.filter(([, , leftAt]) => leftAt < now)].filter(([many]) => many > 0);
    if (others.some(isThere) && isHost !== null) {
      const why = "what a rule sends to another host may be in it twice";
      unknown.set("gone", why).set("expired", why);
    } else count(...others);
    // Of the hour that goes on some may be gone; and what is not counted since may stand both as waiting and as expired.
    const turning = toHour(now - retentionMs);
    const isTurning = turning < to && (hours.get(turning) ?? 0) > 0;
    const off = new Set<Figure>(isStale ? ["waitedBefore", "gone", "waitsAfter"] : []);
    if (isTurning) off.add(turning < from ? "waitedBefore" : "gone");
    if (isTurning) off.add(turning + retentionMs < to ? "expired" : "waitsAfter");
    const notYet = "what expires in this hour is known when it is over and counted";
    for (const name of figureNames) if (off.has(name)) unknown.set(name, notYet);
    const keptSince = now - arrivalHours * hourMs;
    if (from - retentionMs < keptSince) {
      const why = "arrivals are kept for a week, and of what came before only what redriver took is known";
      unknown.set("waitedBefore", why).set("expired", why);
      if (from < keptSince) unknown.set("arrived", why);
    }
    const rows = [...hosts].map(([host, { sentAgain, failedAgain, waitsAfter }]) => ({
      host,
      // What goes to a queue is in the audit by its host.
      sentAgain: host.startsWith("queue:") ? null : sentAgain,
      failedAgain,
      waitsAfter: unknown.has("waitsAfter") ? null : waitsAfter,
    }));
    return { figures, unknown, hosts: rows, silent, delays };
  }
  return { add, read };
}
