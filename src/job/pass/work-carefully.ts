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
import { defined } from "../message/defined.ts";
import type { DlqId } from "../message/dead-letter.ts";
import type { DrainName } from "../contracts/ids.ts";
import { RedriverError } from "../contracts/errors.ts";
import { enteredAtOf, toEnteredAt } from "../message/parse-record.ts";
import { sleptFully } from "../contracts/clock.ts";
import type { LedgerView } from "../contracts/ledger-entries.ts";
import type { Care, WindowMark, WindowRun } from "../contracts/passes.ts";
import { addTallies } from "../contracts/tally.ts";
import type { FailureTally } from "../failures/count-failures.ts";
import { createPageReport, type PageOutcome } from "../page/page-report.ts";
import { putRecordAside } from "../page/put-aside.ts";
import type { Page } from "../page/letter.ts";
import { workPage, type PageWork } from "../page/work-page.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";

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

interface Passing {
  readonly source: Pick<SourceRuntime, "passes" | "clock">;
  readonly drain: DrainName;
}

export interface Identified {
  readonly dlqId?: unknown;
}

/** `onTakenOver`: the window is another owner's by now. */
export function createCarefulWork(
  { source, drain }: Passing,
  run: WindowRun,
  care: Care,
  onTakenOver: () => void,
) {
  const { passes, clock } = source;
  const sizes = new Map<unknown, number>(Object.entries(care.suspects).map(([id, size = 1]) => [id, size]));
  const seen = new Set<unknown>();
  let cleared: readonly DlqId[] = [];
  let soon = new AbortController();
  const mark = async (one: WindowMark): Promise<void> => {
    soon.abort();
    const isOurs = await passes.markWindow(drain, run, { cleared, ...one });
    cleared = [];
    if (!isOurs) onTakenOver();
  };

  return {
    /** Which records of a page are worked together, one part after the other. */
    partsOf<One extends Identified>(records: readonly One[], areSuspects: boolean) {
      const others = records.filter(({ dlqId }) => !sizes.has(dlqId));
      const suspects = records.filter(({ dlqId }) => sizes.has(dlqId));
      if (areSuspects) return toParts(suspects, ({ dlqId }) => sizes.get(dlqId) ?? 1);
      for (const { dlqId } of suspects) seen.add(dlqId);
      return others.length === 0 ? [] : [others];
    },
    hasSuspects: (): boolean => seen.size > 0,
    /** The listing itself has ended two workers in a row. */
    endsListings: care.listings >= enoughListings,
    passOver: (at: number): Promise<void> => mark({ under: "waiting", unlistable: at }),
    isUnworkable: (one: Identified): boolean => isUnworkable(care, one.dlqId),
    lost: (care.alone?.lost ?? 0) + (care.alone?.long ?? 0),
    setAside: ({ dlqId }: Identified): Promise<void> =>
      mark({ under: "waiting", unworkable: [dlqId as DlqId] }),
    async begin(records: readonly Identified[]): Promise<void> {
      await mark({ under: idsOf(records) });
      soon = new AbortController();
      const { signal } = soon;
      void sleptFully(clock, soonMs, signal).then((slept) =>
        // Without it, its loss counts as a sure one.
        slept ? mark({ under: "long" }).catch(() => undefined) : undefined,
      );
    },
    waits: (): Promise<void> => mark({ under: "waiting" }),
    /** They are worked, and the worker lives. What is in flight is still with another one. */
    ended(records: readonly Identified[], left: PageOutcome["left"] = []): void {
      const inFlight = new Set<unknown>(
        left.flatMap(({ dlqId, reason }) => (reason === "in-flight" ? [dlqId] : [])),
      );
      cleared = idsOf(records).filter((id) => !inFlight.has(id));
    },
    lists: (): Promise<void> => mark({ under: "listing" }),
    close: (): void => soon.abort(),
  };
}

/** Parks it in place of its work. Nothing of it but its id is read. `lost`: workers, with it alone. */
export async function putLostAside(
  drain: DrainRuntime,
  { dlqId }: Identified,
  readAt: number,
  { lost, failures }: { readonly lost?: number; readonly failures?: FailureTally } = {},
): Promise<PageOutcome> {
  const message = `${lost ?? "several"} workers in a row were lost while it was worked alone`;
  const error = new RedriverError("worker-lost", message);
  const as = { note: lost === undefined ? "workers-lost" : `workers-lost:${lost}`, ...defined({ failures }) };
  return putRecordAside(drain, { dlqId }, readAt, error, as);
}

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
  if (ids.length === 0) return workPage(drain, page, signal, work);
  const { views } = await drain.source.ledger.peek(ids);
  const isLive = drain.config.mode === "live";
  const stay = new Map<unknown, LedgerView>();
  for (const [index, dlqId] of ids.entries()) {
    const view = views[index] ?? { state: "absent" };
    if (!isLive || !isToWork(view)) stay.set(dlqId, view);
  }
  const records = page.records.filter(({ dlqId }) => !stay.has(dlqId));
  const outcome = await workPage(drain, { ...page, records }, signal, work);
  const report = createPageReport(drain, work.failures);
  const others: PageOutcome[] = [];
  for (const [id, view] of stay) {
    const dlqId = id as DlqId;
    if (isLive && view.state === "open") {
      others.push(await putLostAside(drain, { dlqId }, page.readAt, defined({ failures: work.failures })));
    } else {
      const then = isLive && view.state !== "parked" ? "hold" : "park";
      const decision = { then, reason: "unworkable", rule: null } as const;
      report.apart({ dlqId, enteredAt: toEnteredAt(dlqId) ?? 0 }, decision, isLive && then === "park");
    }
  }
  others.push(report.outcome());
  return {
    ...outcome,
    tally: others.reduce((sum, { tally }) => addTallies(sum, { ...tally, pages: 0 }), outcome.tally),
    left: [outcome, ...others].flatMap(({ left }) => left),
    acted: [outcome, ...others].flatMap(({ acted }) => acted),
  };
}

/** A person may have released it. What is proven to be published or dropped stays: its deletion ends workers too. */
function isToWork(view: LedgerView): boolean {
  if (view.state === "parked") return view.reason !== "unworkable";
  return view.state === "absent" || view.state === "cool" || view.state === "other-version";
}

function toParts<One extends Identified>(records: readonly One[], sizeOf: (record: One) => number) {
  const open = new Map<number, One[]>();
  const full: (readonly One[])[] = [];
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

function idsOf(records: readonly Identified[]): readonly DlqId[] {
  return records.flatMap((record) => (enteredAtOf(record) === null ? [] : [record.dlqId as DlqId]));
}
