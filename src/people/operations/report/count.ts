/**
 * What an outage came to, of one source. What redriver took out of the queue is counted one by one, from the audit. What
 * waits is as the passes count it. What they counted as arrived, and is neither, left without redriver. So this closes:
 *
 *   waited before + arrived = sent again + dropped + discarded + expired + gone + waits after
 *
 * Pure. Times are Unix ms. A report has whole hours, as arrivals are kept by the hour.
 */
import { groupBy } from "../../../group-items-by-key.ts";
import type { AuditAct, AuditEntry } from "../../../job/contracts/audit.ts";
import { misused } from "../../../job/contracts/errors.ts";
import { arrivalHours, type HourlyArrivals } from "../../../job/contracts/failures.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { toEnteredAt } from "../../../job/message/parse-record.ts";
import type { FailureView } from "../../read/failure-views.ts";
import { hourMs, sumOf } from "../../read/totals.ts";

/** Each figure, in the words of a report. The first eight are its sum. */
export const figureWords = {
  waitedBefore: "waited at the beginning",
  arrived: "+ arrived",
  sentAgain: "= sent again",
  dropped: "+ dropped by rules",
  discarded: "+ discarded by people",
  expired: "+ expired",
  gone: "+ gone otherwise: not by redriver",
  waitsAfter: "+ waiting at the end, parked or not",
  failedAgain: "failed again (they arrived again)",
  delivered: "delivered, by a callback",
  silent: "not come back since they were sent again, which is no proof of delivery",
  parked: "parked in this time, released since or not",
  messages: "messages billed, without the service's retries",
};
export type Figure = keyof typeof figureWords;
const figureNames = Object.keys(figureWords) as readonly Figure[];
export const eachFigure = <Value>(toValue: (name: Figure) => Value) =>
  Object.fromEntries(figureNames.map((name) => [name, toValue(name)])) as Record<Figure, Value>;

type FirstOf = { [Act in AuditAct]?: number };
const newLetter = () => ({ at: {} as FirstOf, host: "", isComeBack: false, why: "", as: "", messages: 0 });

/** `from` is inclusive, `to` is not. `isHost`: null for all. */
type Span = Readonly<Record<"from" | "to" | "now" | "cutAt" | "retentionMs", number>> & {
  readonly isHost: ((host: string) => boolean) | null;
};

const hostOfKind = ({ origin }: FailureView) => (origin.startsWith("http") ? hostOf(origin) : origin);
export const toHour = (at: number): number => at - (at % hourMs);

/** Takes the entries of one source. One that was written twice counts once. */
export function createCount(maxLetters: number) {
  const letters = new Map<string, ReturnType<typeof newLetter>>();
  const parents = new Set<string>();

  function add({ act, at, records }: Pick<AuditEntry, "act" | "at" | "records">): void {
    for (const { dlqId, host, as = "", parent, reason } of records) {
      const letter = letters.get(dlqId) ?? newLetter();
      if (letters.set(dlqId, letter).size > maxLetters)
        throw misused(`redriver acted on more than ${maxLetters} dead letters: choose a later beginning`);
      // What is done to it after it has left is from the archive.
      if (letter.at.delete !== undefined) continue;
      letter.at[act] ??= at;
      letter.host = host ?? letter.host;
      if (reason === "discarded" || reason === "from-archive") letter.why = reason;
      if (parent !== undefined) parents.add(parent);
      letter.isComeBack ||= parent !== undefined;
      if (as !== "" && as !== letter.as) Object.assign(letter, { as, messages: letter.messages + 1 });
    }
  }

  /** `silent`: ids that are not known to have come back. `unknown`: why a figure is not known. */
  function read(kinds: readonly FailureView[], arrivals: ReadonlyMap<string, HourlyArrivals>, span: Span) {
    const { from, to, now, cutAt, retentionMs, isHost } = span;
    const figures = eachFigure(() => 0);
    const unknown: Partial<Record<Figure, string>> = {};
    const isIn = (at = 0): boolean => at >= from && at < to;
    const [silent, delays]: [string[], number[]] = [[], []];
    const stays: (readonly [many: number, enteredAt: number, leftAt: number, end: Figure])[] = [];
    const byHost: (readonly [host: string, what: Figure, many: number])[] = [];
    /** By its beginning: what arrived in each, less what redriver took of it: it waits, or expired, or is gone. */
    const hours = new Map<number, number>();
    const addTo = (hour: number, many: number) => hours.set(hour, (hours.get(hour) ?? 0) + many);

    for (const [dlqId, { at, host, isComeBack, why, messages }] of letters) {
      if (why === "from-archive" || isHost?.(host) === false) continue;
      // A come-back, or a delete without a drop, proves what no answer told.
      const leftAt = at.published ?? at.delete ?? (parents.has(dlqId) ? at.republish : undefined);
      const enteredAt = Math.min(toEnteredAt(dlqId) ?? 0, leftAt ?? Infinity);
      if (isComeBack && isIn(enteredAt)) byHost.push([host, "failedAgain", 1]);
      if (isIn(at.park)) figures.parked += 1;
      if (leftAt === undefined) continue;
      addTo(toHour(enteredAt), -1);
      const isTaken = at.published === undefined && at.drop !== undefined;
      const end = isTaken ? (why === "discarded" ? why : "dropped") : "sentAgain";
      stays.push([1, enteredAt, leftAt, end]);
      if (end !== "sentAgain" || !isIn(leftAt)) continue;
      byHost.push([host, end, 1]);
      figures.messages += Math.max(1, messages);
      delays.push(leftAt - enteredAt);
      if (!parents.has(dlqId)) silent.push(dlqId);
    }

    const own = kinds.filter((kind) => isHost?.(hostOfKind(kind)) !== false);
    for (const [hour, many] of own.flatMap(({ id }) => Object.entries(arrivals.get(id) ?? {})))
      addTo(Number(hour) * hourMs, many);
    const there = own.filter(({ waiting, parked }) => waiting + parked > 0);
    const isStale = there.some(({ expiredSince }) => expiredSince !== undefined);
    /** Nothing of what waits has entered before, as far as that is known. */
    const first = isStale ? 0 : Math.min(...there.map(({ since }) => since ?? 0));
    let left = sumOf(there, ({ waiting, parked }) => waiting + parked);
    // Of what is neither taken nor over, the newest waits. The others are gone.
    for (const [at, many] of [...hours].toSorted(([one], [other]) => other - one)) {
      const until = at + hourMs + retentionMs - 1;
      const waits = until >= now && at + hourMs > first ? Math.max(0, Math.min(many, left)) : 0;
      stays.push([waits, at, Infinity, "waitsAfter"]);
      stays.push(until < now ? [many, at, until, "expired"] : [many - waits, at, at, "gone"]);
      left -= waits;
    }
    // What a killed process did not count as arrived.
    stays.push([left, first, Infinity, "waitsAfter"]);
    for (const [many, enteredAt, leftAt, end] of stays) {
      if (many <= 0 || leftAt < from || enteredAt >= to) continue;
      figures[enteredAt < from ? "waitedBefore" : "arrived"] += many;
      figures[leftAt < to ? end : "waitsAfter"] += many;
    }
    if (isHost !== null && figures.gone + figures.expired > 0)
      unknown.gone = unknown.expired = "of one host it may be what a rule sent to another";
    const notYet = "what expires in this hour is known when it is over and counted";
    if (isStale) Object.assign(unknown, { waitedBefore: notYet, gone: notYet, waitsAfter: notYet });
    // Of the hour that goes on some may be gone; and what is not counted since may stand both as waiting and as expired.
    const turning = toHour(now - retentionMs);
    if (turning < to && (hours.get(turning) ?? 0) > 0) {
      unknown[turning < from ? "waitedBefore" : "gone"] = notYet;
      unknown[turning + retentionMs < to ? "expired" : "waitsAfter"] = notYet;
    }
    const keptSince = now - arrivalHours * hourMs;
    const kept = "arrivals are kept for a week, acts up to 256 MiB, and what came before is known in part";
    if (from - retentionMs < Math.max(keptSince, cutAt)) unknown.waitedBefore = unknown.expired = kept;
    // What was taken before seems to have waited until it expired.
    if (from - retentionMs < cutAt && to < now) unknown.waitsAfter = kept;
    if (from < keptSince) unknown.arrived = kept;

    for (const kind of to < now ? [] : there)
      byHost.push([hostOfKind(kind), "waitsAfter", kind.waiting + kind.parked]);
    // What goes to a queue is in the audit by its host, and there beyond what the kinds of that host have.
    let [inQueues, beyondKinds] = [0, 0];
    const hosts = [...groupBy(byHost, ([host]) => host)].map(([host, parts]) => {
      const of = (what: Figure) => sumOf(parts, ([, figure, many]) => (figure === what ? many : 0));
      // Come-backs that wait are in no audit yet.
      const again = own.filter((kind) => hostOfKind(kind) === host && kind.failedAgain > 0);
      const listed = sumOf(again, (kind) => kind.failedAgain);
      const most = of("waitsAfter") > 0 ? listed : 0;
      const isKnown = most <= of("failedAgain") || again.every(({ firstMetAt }) => isIn(firstMetAt));
      if (!isKnown) unknown.failedAgain = unknown.silent = "some of what waits may have failed again before";
      const failedAgain = Math.max(most, of("failedAgain"));
      const isQueue = host.startsWith("queue:");
      if (isQueue) inQueues += failedAgain;
      else figures.failedAgain += failedAgain;
      beyondKinds += Math.max(0, of("failedAgain") - listed);
      const sentAgain = isQueue ? null : of("sentAgain");
      const waitsAfter = "waitsAfter" in unknown ? null : of("waitsAfter");
      return { host, sentAgain, failedAgain: isKnown ? failedAgain : null, waitsAfter };
    });
    figures.failedAgain += Math.max(0, inQueues - beyondKinds);
    return { figures, unknown, hosts, silent, delays };
  }
  return { add, read };
}
