import type { ParkReason } from "../../message/park-reasons.ts";
import type { MessageId } from "../../message/dead-letter.ts";
import { RedriverError } from "../../ports/errors.ts";
import type { DrainName, Token } from "../../ports/ids.ts";
import { postHorizonMs, takeoverAfterMs } from "../../ports/ledger-limits.ts";
import type { LedgerView, Released, Series } from "../../ports/ledger-entries.ts";
import type { LedgerLimits } from "../../ports/ledger-limits.ts";
import type { BeginVerdict, DeleteEnd } from "../../ports/ledger.ts";

/**
 * What the ledger keeps per dead letter, whatever it is kept in. Times are Unix ms of the ledger's own clock.
 * The field names below are the long form of the letters in lua/prelude.ts.
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
  /** What it was published as; null: the archive has it. */
  readonly as: MessageId | null;
  readonly namedBy: Token | null;
}

export interface ParkedEntry extends SeriesFields {
  readonly state: "parked";
  readonly reason: ParkReason;
  readonly drain: DrainName;
  readonly rulesHash: string;
}

export type Entry = CoolEntry | OpenEntryState | PublishedEntry | ArchivedEntry | GoneEntry | ParkedEntry;

/** Refusals of one record alone count at most this often, so that three of them span twenty minutes. */
export const refusedAloneEveryMs = 600_000;

/**
 * A cool entry outlives the window by an hour: afterwards no deduplication id of it can be hit. One in a
 * later series is kept: of an earlier one a POST may have been accepted, and forgotten, the next would double
 * it undeclared.
 */
export const coolBeyondWindowMs = 3_600_000;

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

export function toView(entry: Entry | null, now: number, limits: LedgerLimits): LedgerView {
  if (entry === null) return { state: "absent" };
  switch (entry.state) {
    case "cool": {
      const { dueAt, refusedAlone, attempt, released } = entry;
      return { state: "cool", dueAt, refusedAlone, attempt, released, firstAt: entry.series.firstAt };
    }
    case "open":
      return toOpenView(entry, now, limits);
    case "published":
    case "archived":
      return toSettlingView(entry);
    case "gone":
      return { state: "gone" };
    case "parked":
      return toParkedView(entry);
  }
}

export function toParkedView(entry: ParkedEntry): Extract<LedgerView, { state: "parked" }> {
  const { reason, drain, rulesHash, attempt } = entry;
  return { state: "parked", reason, drain, rulesHash, attempt, firstAt: entry.series.firstAt };
}

export function toOpenView(
  entry: OpenEntryState,
  now: number,
  limits: LedgerLimits,
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
    unknown: now > lastAt + takeoverAfterMs(limits),
    pastHorizon: now > series.firstAt + postHorizonMs(limits),
  };
}

export function toSettlingView(
  entry: PublishedEntry | ArchivedEntry,
): Extract<LedgerView, { state: "published" | "archived" }> {
  if (entry.state === "published") {
    const { as, drain, at, deleteFailed, maybeGone, datesAgree, messageId } = entry;
    return { state: "published", as, drain, at, deleteFailed, maybeGone, datesAgree, messageId };
  }
  const { file, drain, at, deleteFailed, maybeGone, datesAgree, messageId } = entry;
  return {
    state: "archived",
    file,
    drain: drain ?? ("" as DrainName),
    at,
    deleteFailed,
    maybeGone,
    datesAgree,
    messageId,
  };
}

/** What an end of a DELETE says of each of its ids. */
export function deleteFlags(how: DeleteEnd): { readonly failed: boolean; readonly maybeGone: boolean } {
  return { failed: how !== "short", maybeGone: how !== "failed" };
}

/** Also in lua/prelude.ts. */
const layout = 1;

/** The letters of lua/prelude.ts, as stored. */
interface StoredEntry {
  readonly v: number;
  readonly s: Entry["state"];
  readonly x?: number;
  readonly f?: number;
  readonly p?: number;
  readonly r?: number;
  readonly n?: number;
  readonly m?: MessageId;
  readonly un?: number;
  readonly ra?: number;
  readonly rt?: number;
  readonly rel?: 1 | 2;
  readonly d?: DrainName;
  readonly t?: Token;
  readonly l?: number;
  readonly a?: "republish" | "drop";
  readonly e?: 1;
  readonly dd?: DeclaredDouble;
  readonly u?: number;
  readonly as?: MessageId;
  readonly file?: string;
  readonly at?: number;
  readonly q?: number;
  readonly df?: 1;
  readonly mg?: 1;
  readonly da?: 1;
  readonly w?: number;
  readonly cb?: Token;
  readonly why?: ParkReason;
  readonly h?: string;
}

/** As parseEntry, for who reads whatever is there: an entry of another layout is told as such. */
export function parseView(text: string, now: number, limits: LedgerLimits): LedgerView {
  const { v } = JSON.parse(text) as Partial<StoredEntry>;
  return v === layout ? toView(parseEntry(text), now, limits) : { state: "other-version" };
}

/**
 * Text of a stored entry → entry. Fails with `invariant-broken` on a layout that this version does not know.
 */
export function parseEntry(text: string): Entry {
  const stored = JSON.parse(text) as StoredEntry;
  if (stored.v !== layout) {
    throw new RedriverError(
      "invariant-broken",
      `expected a ledger entry of layout 1, got ${String(stored.v)}: another version of redriver wrote it`,
    );
  }
  const none = "" as never;
  const counted: SeriesFields = {
    series: {
      suffix: stored.x ?? 1,
      firstAt: stored.f ?? 0,
      posts: stored.p ?? 0,
      refusals: stored.r ?? 0,
      doubts: stored.un ?? (stored.dd === undefined ? 0 : (stored.x ?? 1) - 1),
    },
    attempt: stored.n ?? 0,
    messageId: stored.m ?? null,
    declaredDouble: stored.dd ?? false,
  };
  const patience: PerIdBackoff = {
    refusedAlone: stored.ra ?? 0,
    refusedAloneAt: stored.rt ?? null,
    released: stored.rel === undefined ? false : stored.rel === 1 ? "by-person" : "listed-again",
  };
  const settling: Settling = {
    at: stored.at ?? 0,
    drain: stored.d ?? null,
    pendingSince: stored.q ?? null,
    deleteFailed: stored.df === 1,
    maybeGone: stored.mg === 1,
    datesAgree: stored.da === 1,
    listedAt: stored.w ?? 0,
    messageId: stored.m ?? null,
  };
  const owner = { drain: stored.d ?? none, token: stored.t ?? none };
  switch (stored.s) {
    case "cool":
      return { state: "cool", ...counted, ...patience, dueAt: stored.u ?? 0, endedBy: stored.t ?? null };
    case "open":
      return {
        state: "open",
        ...counted,
        ...patience,
        ...owner,
        lastAt: stored.l ?? 0,
        act: stored.a ?? "republish",
        ended: stored.e === 1,
      };
    case "published":
      return {
        state: "published",
        ...settling,
        as: stored.as ?? none,
        namedBy: stored.cb ?? null,
      };
    case "archived":
      return { state: "archived", ...settling, file: stored.file ?? none, token: owner.token };
    case "gone":
      return { state: "gone", as: stored.as ?? null, namedBy: stored.cb ?? null };
    case "parked":
      return {
        state: "parked",
        ...counted,
        reason: stored.why ?? none,
        drain: owner.drain,
        rulesHash: stored.h ?? none,
      };
    default:
      throw new RedriverError("invariant-broken", `expected a ledger state, got ${String(stored.s)}`);
  }
}
