/**
 * Finds the record that ends its workers, such as one whose work takes more memory than there is.
 *
 *   two workers in a row lost, with nothing done ─► one page at a time, and each says first what it has under work
 *     ─► lost with a page: its records are suspects ─► all others first, then the suspects by tenths, then alone
 *     ─► lost three times with one alone: parked as `unworkable`
 *
 * Workers that are killed from outside are lost with any records, and those are worked the next time. So one is
 * parked only if the last losses in a row had it alone, each soon after it was begun. A worker that waits for
 * something says so, and then nothing is suspected.
 */
import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import { RedriverError } from "../../ports/errors.ts";
import { toEnteredAt } from "../../message/parse-record.ts";
import { sleptFully } from "../../ports/clock.ts";
import type { LedgerView } from "../../ports/ledger-entries.ts";
import type { Care, WindowMark, WindowRun } from "../../ports/passes.ts";
import { addTallies, type Tally } from "../../ports/tally.ts";
import type { FailureTally } from "../failures/count-failures.ts";
import { enteredAtOf } from "../listing/record-dates.ts";
import { createPageReport, type LeftRecord, type PageOutcome } from "../page/page-report.ts";
import { putRecordAside } from "../page/put-aside.ts";
import type { Page } from "../page/records.ts";
import { workPageApart } from "../page/work-page-apart.ts";
import type { PageWork } from "../page/work-page.ts";
import type { DrainRuntime } from "../runtime.ts";

/** Suspects are worked in so many parts, and a part of so few one by one. */
const parts = 10;
/** What ends a worker does so soon. Whoever lives longer with a record mostly waits for the service. */
const soonMs = 2_000;
/** A part of a window begins with one: each cut costs a worker. */
const enoughListings = 2;
/** Three losses soon, or twelve later ones: a record that is slow is hit by more kills from outside. */
const enough = 12;
const ofLoss = 4;

export function isUnworkable({ alone }: Pick<Care, "alone">, id: unknown): boolean {
  return alone !== undefined && alone.id === id && alone.lost * ofLoss + alone.long >= enough;
}

export type CarefulWork = ReturnType<typeof createCarefulWork>;

/** `onTakenOver`: the window is another owner's by now. */
export function createCarefulWork(drain: DrainRuntime, run: WindowRun, care: Care, onTakenOver: () => void) {
  const { passes, clock } = drain.source;
  const sizes = new Map<unknown, number>(Object.entries(care.suspects).map(([id, size = 1]) => [id, size]));
  const seen = new Set<unknown>();
  let cleared: readonly DlqId[] = [];
  let soon = new AbortController();
  const mark = async (one: WindowMark): Promise<void> => {
    soon.abort();
    const isOurs = await passes.markWindow(drain.config.name, run, { cleared, ...one });
    cleared = [];
    if (!isOurs) onTakenOver();
  };

  return {
    /** Which records of a page are worked together, one part after the other. */
    partsOf(records: readonly RawRecord[], areSuspects: boolean): readonly (readonly RawRecord[])[] {
      const others = records.filter(({ dlqId }) => !sizes.has(dlqId));
      const suspects = records.filter(({ dlqId }) => sizes.has(dlqId));
      if (areSuspects) return toParts(suspects, ({ dlqId }) => sizes.get(dlqId) ?? 1);
      for (const { dlqId } of suspects) seen.add(dlqId);
      return others.length === 0 ? [] : [others];
    },
    /** Some were left out for the end. */
    hasSuspects: (): boolean => seen.size > 0,
    /** The listing itself has ended two workers in a row. */
    endsListings: care.listings >= enoughListings,
    passOver: (at: number): Promise<void> => mark({ under: "waiting", unlistable: at }),
    isUnworkable: (record: RawRecord): boolean => isUnworkable(care, record.dlqId),
    /** Parks it in place of its work. Nothing of it but its id is read. */
    async putAside({ dlqId }: RawRecord, readAt: number, failures: FailureTally): Promise<Tally> {
      const lost = (care.alone?.lost ?? 0) + (care.alone?.long ?? 0);
      const message = `${lost} workers in a row were lost while it was worked alone`;
      const error = new RedriverError("worker-lost", message);
      const as = { note: `workers-lost:${lost}`, failures };
      const { acted, tally } = await putRecordAside(drain, { dlqId }, readAt, error, as);
      await mark({ under: "waiting", unworkable: acted });
      return tally;
    },
    /** Before these are worked. */
    async begin(records: readonly RawRecord[]): Promise<void> {
      await mark({ under: idsOf(records) });
      soon = new AbortController();
      const { signal } = soon;
      void sleptFully(clock, soonMs, signal).then((slept) =>
        // Without it, its loss counts as a sure one.
        slept ? mark({ under: "long" }).catch(() => undefined) : undefined,
      );
    },
    /** They wait for a rate. */
    waits: (): Promise<void> => mark({ under: "waiting" }),
    /** They are worked, and the worker lives. What is in flight is still with another one. */
    ended(records: readonly RawRecord[], left: readonly LeftRecord[]): void {
      const inFlight = new Set<unknown>(
        left.flatMap(({ dlqId, reason }) => (reason === "in-flight" ? [dlqId] : [])),
      );
      cleared = idsOf(records).filter((id) => !inFlight.has(id));
    },
    lists: (): Promise<void> => mark({ under: "listing" }),
    close: (): void => soon.abort(),
  };
}

const unworkableDecision = { then: "park", reason: "unworkable", rule: null } as const;

/** Works a page, but for those of its records that have ended their workers: they are not even parsed. */
export async function workPageBut(
  unworkable: readonly DlqId[],
  drain: DrainRuntime,
  page: Page,
  signal: AbortSignal,
  work: PageWork,
): Promise<PageOutcome> {
  const known = new Set<unknown>(unworkable);
  const ids = known.size === 0 ? [] : idsOf(page.records.filter(({ dlqId }) => known.has(dlqId)));
  if (ids.length === 0) return workPageApart(drain, page, signal, work);
  const { views } = await drain.source.ledger.peek(ids);
  const isLive = drain.config.mode === "live";
  // A person may have released one.
  const stay = ids.filter((_, index) => !isLive || isParked(views[index]));
  const records = page.records.filter(({ dlqId }) => !stay.includes(dlqId as DlqId));
  const outcome = await workPageApart(drain, { ...page, records }, signal, work);
  const report = createPageReport(drain, work.failures);
  for (const dlqId of stay) {
    report.apart({ dlqId, enteredAt: toEnteredAt(dlqId) ?? 0 }, unworkableDecision, isLive);
  }
  const { tally, left, acted } = report.outcome([]);
  return {
    ...outcome,
    tally: addTallies(outcome.tally, { ...tally, pages: 0 }),
    left: [...outcome.left, ...left],
    acted: [...outcome.acted, ...acted],
  };
}

function isParked(view: LedgerView | undefined): boolean {
  return view?.state === "parked" && view.reason === "unworkable";
}

function toParts(
  records: readonly RawRecord[],
  sizeOf: (record: RawRecord) => number,
): readonly (readonly RawRecord[])[] {
  const open = new Map<number, RawRecord[]>();
  const full: (readonly RawRecord[])[] = [];
  for (const record of records) {
    const length = Math.max(1, Math.floor(sizeOf(record) / parts));
    const part = [...(open.get(length) ?? []), record];
    open.set(length, part);
    if (part.length < length) continue;
    full.push(part);
    open.delete(length);
  }
  return [...full, ...open.values()];
}

function idsOf(records: readonly RawRecord[]): readonly DlqId[] {
  return records.flatMap((record) => (enteredAtOf(record) === null ? [] : [record.dlqId as DlqId]));
}
