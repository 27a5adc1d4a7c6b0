import type { DlqId } from "../../../src/job/message/dead-letter.ts";
import type { Clock } from "../../../src/job/contracts/clock.ts";
import type { LedgerLimits } from "../../../src/job/contracts/ledger-limits.ts";
import { lifeMs } from "./memory-entry.ts";
import type { ArchivedEntry, Entry, OpenEntryState, ParkedEntry, PublishedEntry } from "./memory-entry.ts";

/**
 * Entries with a life, in this process. What is open or pending is asked of the entries themselves, oldest
 * first.
 */
export interface MemoryEntries {
  get(dlqId: DlqId): Entry | null;
  put(dlqId: DlqId, entry: Entry): void;
  /**
   * Reads an entry of a record that is listed just now: it lives on, and what waits for its deletion
   * remembers the listing.
   */
  listed(dlqId: DlqId): Entry | null;
  open(): readonly { readonly dlqId: DlqId; readonly entry: OpenEntryState }[];
  pending(): readonly {
    readonly dlqId: DlqId;
    readonly entry: PublishedEntry | ArchivedEntry;
    readonly since: number;
  }[];
  /** Those first that were listed longest ago. */
  parked(): readonly { readonly dlqId: DlqId; readonly entry: ParkedEntry; readonly keptUntil: number }[];
  /** Grows with every put. */
  writes(): number;
}

export function createMemoryEntries(clock: Pick<Clock, "now">, limits: LedgerLimits): MemoryEntries {
  const rows = new Map<DlqId, { readonly entry: Entry; readonly expiresAt: number }>();
  let writes = 0;

  const get = (dlqId: DlqId): Entry | null => {
    const row = rows.get(dlqId);
    if (row === undefined) return null;
    if (clock.now() < row.expiresAt) return row.entry;
    rows.delete(dlqId);
    return null;
  };
  const keep = (dlqId: DlqId, entry: Entry): void => {
    const now = clock.now();
    rows.set(dlqId, { entry, expiresAt: now + lifeMs(entry, now, limits) });
  };
  const living = (): readonly { readonly dlqId: DlqId; readonly entry: Entry }[] =>
    [...rows.keys()].flatMap((dlqId) => {
      const entry = get(dlqId);
      return entry === null ? [] : [{ dlqId, entry }];
    });

  return {
    get,
    put(dlqId, entry) {
      keep(dlqId, entry);
      writes += 1;
    },
    listed(dlqId) {
      const entry = get(dlqId);
      if (entry === null || (entry.state === "cool" && !entry.released)) return entry;
      const seen =
        entry.state === "published" || entry.state === "archived"
          ? { ...entry, listedAt: clock.now() }
          : entry;
      keep(dlqId, seen);
      return seen;
    },
    open: () =>
      living()
        .flatMap(({ dlqId, entry }) => (entry.state === "open" ? [{ dlqId, entry }] : []))
        .toSorted((a, b) => a.entry.lastAt - b.entry.lastAt || compare(a.dlqId, b.dlqId)),
    pending: () =>
      living()
        .flatMap(({ dlqId, entry }) =>
          (entry.state === "published" || entry.state === "archived") && entry.pendingSince !== null
            ? [{ dlqId, entry, since: entry.pendingSince }]
            : [],
        )
        .toSorted((a, b) => a.since - b.since || compare(a.dlqId, b.dlqId)),
    parked: () =>
      living()
        .flatMap(({ dlqId, entry }) =>
          entry.state === "parked"
            ? [{ dlqId, entry, keptUntil: Math.floor(rows.get(dlqId)?.expiresAt ?? 0) }]
            : [],
        )
        .toSorted((a, b) => a.keptUntil - b.keptUntil || compare(a.dlqId, b.dlqId)),
    writes: () => writes,
  };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
