/**
 * What an outage came to, of one source. What redriver took out of the queue is counted one by one, from the audit. What
 * waits is as the passes count it. What they counted as arrived, and is neither, left without redriver. So this closes:
 *
 *   waited before + arrived = sent again + dropped + discarded + expired + gone + waits after
 *
 * Pure. Times are Unix ms. A report has whole hours, as arrivals are kept by the hour.
 */
import type { AuditAct, AuditEntry } from "../../../job/contracts/audit.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { arrivalHours, type HourlyArrivals } from "../../../job/contracts/failures.ts";
import { hostOf } from "../../../job/message/destination-url.ts";
import { toEnteredAt } from "../../../job/message/parse-record.ts";
import type { FailureView } from "../../read/failure-views.ts";

/** A kind of failure, as the drains of its source have counted it. */
type CountedKind = FailureView & { readonly hours: HourlyArrivals };

/** `from` is inclusive, `to` is not. `isHost`: null for all. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly now: number;
  readonly retentionMs: number;
  readonly isHost: ((host: string) => boolean) | null;
}

const ofHost = { sentAgain: 0, failedAgain: 0, waitsAfter: 0 };
export const noFigures = {
  ...ofHost,
  waitedBefore: 0,
  arrived: 0,
  dropped: 0,
  discarded: 0,
  expired: 0,
  gone: 0,
  parked: 0,
  messages: 0,
};
export type Figures = typeof noFigures;

interface Letter {
  /** First of each act. */
  readonly at: { [Act in AuditAct]?: number };
  host: string;
  isComeBack: boolean;
  /** Of the reasons those that matter here. */
  why: "discarded" | "from-archive" | null;
  as: string;
  messages: number;
}

export const hourMs = 3_600_000;

/** Takes the entries of one source. One that was written twice counts once. */
export function createCount(maxLetters: number) {
  const letters = new Map<string, Letter>();
  const parents = new Set<string>();

  function add({ act, at, records }: Pick<AuditEntry, "act" | "at" | "records">): void {
    for (const { dlqId, host, as = "", parent, reason } of records) {
      const none = { at: {}, host: "", isComeBack: false, why: null, as: "", messages: 0 };
      const letter: Letter = letters.get(dlqId) ?? none;
      if (letters.set(dlqId, letter).size > maxLetters) {
        const why = `redriver acted on more than ${maxLetters} dead letters: choose a later beginning`;
        throw new RedriverError("command-misused", why);
      }
      letter.at[act] ??= at;
      letter.host = host ?? letter.host;
      if (reason === "discarded" || reason === "from-archive") letter.why = reason;
      if (parent !== undefined) parents.add(parent);
      letter.isComeBack ||= parent !== undefined;
      if (as !== "" && as !== letter.as) Object.assign(letter, { as, messages: letter.messages + 1 });
    }
  }

  /** `silent`: ids that are not known to have come back. `unknown`: why a figure is not known. */
  function read(kinds: readonly CountedKind[], { from, to, now, retentionMs, isHost }: Span) {
    const figures = { ...noFigures };
    const unknown = new Map<keyof Figures, string>();
    const hosts = new Map<string, typeof ofHost>();
    const of = (host: string): typeof ofHost => hosts.get(host) ?? hosts.set(host, { ...ofHost }).get(host)!;
    const [silent, delays]: [string[], number[]] = [[], []];
    /** What arrived in each, less what redriver took of it. */
    const hours = new Map<number, number>();
    const addTo = (hour: number, count: number): void => void hours.set(hour, (hours.get(hour) ?? 0) + count);
    const isIn = (at = 0): boolean => at >= from && at < to;
    for (const [dlqId, { at, host, isComeBack, why, messages }] of letters) {
      if (why === "from-archive" || isHost?.(host) === false) continue;
      // A come-back, or a delete without a drop, proves what no answer told.
      const leftAt = at.published ?? at.delete ?? (parents.has(dlqId) ? at.republish : undefined);
      const enteredAt = Math.min(toEnteredAt(dlqId) ?? 0, leftAt ?? Infinity);
      if (isComeBack && isIn(enteredAt)) of(host).failedAgain += 1;
      if (isIn(at.park)) figures.parked += 1;
      if (leftAt === undefined) continue;
      addTo(Math.floor(enteredAt / hourMs), -1);
      if (isIn(leftAt) && at.published === undefined && at.drop !== undefined) {
        figures[why ?? "dropped"] += 1;
      } else if (isIn(leftAt)) {
        of(host).sentAgain += 1;
        figures.messages += Math.max(1, messages);
        delays.push(leftAt - enteredAt);
        if (!parents.has(dlqId)) silent.push(dlqId);
      }
      if (leftAt < from || enteredAt >= to) continue;
      figures[enteredAt < from ? "waitedBefore" : "arrived"] += 1;
      if (leftAt >= to) figures.waitsAfter += 1;
    }

    const own = kinds
      .map((kind) => ({
        ...kind,
        host: kind.origin.startsWith("http") ? hostOf(kind.origin) : kind.origin,
        there: kind.waiting + kind.parked,
      }))
      .filter(({ host }) => isHost?.(host) !== false);
    let waiting = 0;
    for (const kind of own) {
      waiting += kind.there;
      if (to >= now) of(kind.host).waitsAfter += kind.there;
      for (const [hour, count] of Object.entries(kind.hours)) addTo(Number(hour), count);
    }
    for (const [host, sum] of hosts) {
      // Come-backs that wait are in no audit yet.
      const again = own.filter((kind) => kind.host === host && kind.failedAgain > 0);
      const all = again.reduce((count, kind) => count + kind.failedAgain, 0);
      if (all > sum.failedAgain && sum.waitsAfter > 0) {
        if (again.every(({ firstMetAt }) => isIn(firstMetAt))) sum.failedAgain = all;
        else
          unknown.set("failedAgain", `some of what waits at ${host} may have failed again before that time`);
      }
      figures.failedAgain += sum.failedAgain;
      figures.sentAgain += sum.sentAgain;
    }

    /** Of these hours what is not redriver's: it waits, or expired, or is gone. A count that a killed process lost is missing. */
    const rest = (first: number, end: number, has: "expired" | "not"): number => {
      let sum = 0;
      for (const [hour, count] of hours) {
        const expiresAt = (hour + 1) * hourMs + retentionMs;
        if (hour * hourMs >= first && hour * hourMs < end && (has === "expired") === expiresAt <= now)
          sum += count;
      }
      return Math.max(0, sum);
    };
    const enteredSince = (at: number): number =>
      own.every((kind) => kind.there === 0 || (kind.since ?? 0) >= at)
        ? waiting
        : Math.min(waiting, rest(at, now, "not"));
    const [since, later] = [enteredSince(from), to >= now ? 0 : enteredSince(to)];
    const [early, late] = [rest(from - retentionMs - hourMs + 1, from, "expired"), rest(from, to, "expired")];
    const after = rest(to - retentionMs - hourMs + 1, to, "expired");
    const gone = Math.max(0, rest(from, to, "not") - since + later);
    figures.waitedBefore += waiting - since;
    figures.arrived += since - later;
    figures.waitsAfter += waiting - later;
    if (early + late + gone > 0 && (isHost !== null || own.some(({ drains }) => drains.length > 1))) {
      const why = "what several drains count, or what a rule sends to another host, may be in it twice";
      unknown.set("gone", why).set("expired", why);
    } else {
      figures.waitedBefore += early;
      figures.arrived += late + gone;
      figures.expired = Math.max(0, early + late - after);
      figures.gone = gone;
      figures.waitsAfter += Math.min(after, early + late);
    }
    if (from - retentionMs < now - arrivalHours * hourMs) {
      unknown.set("expired", "arrivals are kept for a week, and what expired first had come before");
    }
    return { figures, unknown, hosts, silent, delays };
  }
  return { add, read };
}
