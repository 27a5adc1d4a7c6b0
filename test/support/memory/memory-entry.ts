import { defined } from "../../../src/job/message/defined.ts";
import type { ParkReason } from "../../../src/job/message/park-reasons.ts";
import type { MessageId } from "../../../src/job/message/dead-letter.ts";
import type { DrainName, Token } from "../../../src/job/contracts/ids.ts";
import type { LedgerView, Released, Series } from "../../../src/job/contracts/ledger-entries.ts";
import {
  postHorizonMs,
  takeoverAfterMs,
  type LedgerLimits,
  coolBeyondWindowMs,
} from "../../../src/job/contracts/ledger-limits.ts";
import type { BeginVerdict } from "../../../src/job/contracts/ledger.ts";

/**
 * What the reference ledger keeps per dead letter. Times are Unix ms of its own clock. The field names are
 * the long form of the letters in prelude.lua.ts.
 */
interface SeriesFields {
  readonly series: Series;
  /** Redrives known to have been made. */
  readonly attempt: number;
  readonly messageId: MessageId | null;
  /** An earlier series may have been accepted, so this one may double it. */
  readonly declaredDouble: DeclaredDouble;
}

interface PerIdBackoff {
  readonly refusedAlone: number;
  /** When it last counted; null: never. */
  readonly refusedAloneAt: number | null;
  readonly released: Released;
}

export type DeclaredDouble = Extract<BeginVerdict, { kind: "begun" }>["declaredDouble"];

export interface CoolEntry extends SeriesFields, PerIdBackoff {
  readonly state: "cool";
  readonly dueAt: number;
  /** Whose refusal made it cool; that token's repeat gets the same answer. */
  readonly endedBy: Token | null;
}

export interface OpenEntryState extends SeriesFields, PerIdBackoff {
  readonly state: "open";
  readonly drain: DrainName;
  readonly token: Token;
  readonly lastAt: number;
  readonly act: "republish" | "drop";
  /** The token's POST has been answered; what is unanswered is older. */
  readonly ended: boolean;
}

interface Settling {
  readonly at: number;
  readonly drain: DrainName | null;
  /** Since when its deletion is pending; null: it is not. */
  readonly pendingSince: number | null;
  readonly deleteFailed: boolean;
  readonly maybeGone: boolean;
  readonly datesAgree: boolean;
  /** When it was last seen in a listing; 0: not since the fact. */
  readonly listedAt: number;
  readonly messageId: MessageId | null;
}

export interface PublishedEntry extends Settling {
  readonly state: "published";
  readonly as: MessageId;
  /** The look that first found a come-back of it; null: none has. */
  readonly namedBy: Token | null;
}

export interface ArchivedEntry extends Settling {
  readonly state: "archived";
  readonly file: string;
  readonly token: Token;
}

export interface GoneEntry {
  readonly state: "gone";
  readonly at: number;
  /** What it was published as; null: the archive has it. */
  readonly as: MessageId | null;
  readonly namedBy: Token | null;
}

export interface ParkedEntry extends SeriesFields {
  readonly state: "parked";
  readonly reason: ParkReason;
  readonly drain: DrainName;
  readonly rulesHash: string;
  readonly failure: string | undefined;
}

export type Entry = CoolEntry | OpenEntryState | PublishedEntry | ArchivedEntry | GoneEntry | ParkedEntry;

/**
 * How long an entry is kept from now. Open: retention, never the lease, so that an expired lease cannot erase
 * an intent.
 */
export function lifeMs(entry: Entry, now: number, limits: LedgerLimits): number {
  switch (entry.state) {
    case "cool":
      return entry.released || entry.series.suffix > 1
        ? limits.retentionMs
        : Math.max(entry.dueAt - now, limits.dedupWindowMs + coolBeyondWindowMs);
    case "gone":
      return limits.tombstoneMs;
    case "open":
    case "published":
    case "archived":
    case "parked":
      return limits.retentionMs;
  }
}

/** Whether whoever began or published it may be at it still. */
export function isAtWork(since: number, now: number, limits: LedgerLimits, workerLostAt = 0): boolean {
  return now <= since + takeoverAfterMs(limits) && since >= workerLostAt;
}

export function toView(
  entry: Entry | null,
  now: number,
  limits: LedgerLimits,
  workerLostAt?: number,
): LedgerView {
  if (entry === null) return { state: "absent" };
  switch (entry.state) {
    case "cool": {
      const { dueAt, refusedAlone, attempt, released } = entry;
      return { state: "cool", dueAt, refusedAlone, attempt, released, firstAt: entry.series.firstAt };
    }
    case "open":
      return toOpenView(entry, now, limits, workerLostAt);
    case "published":
    case "archived":
      return toSettlingView(entry, now, limits, workerLostAt);
    case "gone":
      return { state: "gone", at: entry.at };
    case "parked":
      return toParkedView(entry);
  }
}

export function toParkedView(entry: ParkedEntry): Extract<LedgerView, { state: "parked" }> {
  const { reason, drain, rulesHash, attempt, failure } = entry;
  const { firstAt } = entry.series;
  return { state: "parked", reason, drain, rulesHash, attempt, firstAt, ...defined({ failure }) };
}

export function toOpenView(
  entry: OpenEntryState,
  now: number,
  limits: LedgerLimits,
  workerLostAt?: number,
): Extract<LedgerView, { state: "open" }> {
  const { drain, series, lastAt, attempt, released } = entry;
  return {
    state: "open",
    drain,
    series,
    lastAt,
    attempt,
    released,
    messageId: entry.messageId ?? ("" as MessageId),
    unknown: !isAtWork(lastAt, now, limits, workerLostAt),
    pastHorizon: now > series.firstAt + postHorizonMs(limits),
  };
}

export function toSettlingView(
  entry: PublishedEntry | ArchivedEntry,
  now: number,
  limits: LedgerLimits,
  workerLostAt?: number,
): Extract<LedgerView, { state: "published" | "archived" }> {
  const { at, deleteFailed, maybeGone, datesAgree, messageId } = entry;
  const settling = {
    at,
    deleteFailed,
    maybeGone,
    isBeingDeleted: isBeingDeleted(entry, now, limits, workerLostAt),
    datesAgree,
    messageId,
  };
  if (entry.state === "published")
    return { state: "published", as: entry.as, drain: entry.drain, ...settling };
  return { state: "archived", file: entry.file, drain: entry.drain ?? ("" as DrainName), ...settling };
}

export function isBeingDeleted(
  entry: PublishedEntry | ArchivedEntry,
  now: number,
  limits: LedgerLimits,
  workerLostAt?: number,
): boolean {
  const isNamed = entry.state === "published" && entry.namedBy !== null;
  const isLeft = isNamed || entry.deleteFailed || entry.maybeGone;
  return entry.pendingSince !== null && !isLeft && isAtWork(entry.at, now, limits, workerLostAt);
}
