import type { DlqId, MessageId, RawRecord } from "../message/dead-letter.ts";
import { followCursor } from "./follow-cursor.ts";
import { createPageSize, isTooLarge, listFitting } from "./list-fitting.ts";
import { listPage } from "./list-page.ts";
import type { SourceRuntime } from "./runtime.ts";

export interface Wanted {
  readonly dlqId: DlqId;
  readonly messageId: MessageId | null;
}

export interface Findings {
  readonly records: readonly RawRecord[];
  /** Redis time from before the first GET. */
  readonly readAt: number;
  /** Certainly not listed: a listing that would have held it came to its end without it. */
  readonly absent: readonly DlqId[];
}

/** Ids entered within this of each other share one listing. */
const joinWithinMs = 60_000;
/** A window that is not through after this many pages is given up; its ids are looked for one by one. */
const pagesPerWindow = 5;
/** Single look-ups of one call; what is left waits for the next. */
const singlesPerCall = 50;

/**
 * Looks for dead letters by the fewest windows around the times in their ids, then, for what that did not show, by messageId, or by
 * the very millisecond of one without.
 * A window proves absence only where the service's dates are known to mean entry into the DLQ.
 */
export async function findRecords(
  source: SourceRuntime,
  wanted: readonly Wanted[],
  signal: AbortSignal,
): Promise<Findings> {
  const { at: readAt } = await source.ledger.now();
  const datesMeanEntry = (await source.book.datesMean()) === "entered";
  const missing = new Map(wanted.map((one) => [one.dlqId as string, one]));
  const records: RawRecord[] = [];
  const absent: DlqId[] = [];
  const take = (listed: readonly RawRecord[]): void => {
    for (const raw of listed) if (missing.delete(String(raw["dlqId"]))) records.push(raw);
  };

  for (const group of joinTimes(wanted.map(({ dlqId }) => enteredAtOf(dlqId)))) {
    const ended = await listThrough(source, { fromDate: group.from, toDate: group.to }, take, signal);
    if (!ended || !datesMeanEntry) continue;
    for (const { dlqId } of missing.values()) {
      const enteredAt = enteredAtOf(dlqId);
      if (enteredAt >= group.from && enteredAt <= group.to && missing.delete(dlqId)) absent.push(dlqId);
    }
  }
  for (const { dlqId, messageId } of [...missing.values()].slice(0, singlesPerCall)) {
    const at = enteredAtOf(dlqId);
    const range = messageId === null ? { fromDate: at, toDate: at } : { messageId };
    const ended = await listThrough(source, range, take, signal);
    const isProof = ended && (messageId !== null || datesMeanEntry);
    if (isProof && missing.delete(dlqId)) absent.push(dlqId);
  }
  return { records, readAt, absent };
}

/** Answers whether it came to its end; not behind a record that is too large to be read, which a pass tells of. */
async function listThrough(
  source: SourceRuntime,
  range: { readonly fromDate: number; readonly toDate: number } | { readonly messageId: string },
  take: (records: readonly RawRecord[]) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const filter = "messageId" in range ? { select: range } : { select: {}, ...range };
  const size = createPageSize();
  let pages = 0;
  try {
    for await (const { records, cursor, release } of followCursor((at) =>
      listFitting((query) => listPage(source, query, signal), { ...filter, ...at }, size, {
        memory: source.memory,
        take: (bytes) => source.memory.acquire(bytes, signal),
      }),
    )) {
      take(records);
      release();
      if (cursor === undefined) return true;
      pages += 1;
      if (pages === pagesPerWindow) return false;
    }
  } catch (error) {
    if (!isTooLarge(error)) throw error;
  }
  return false;
}

function joinTimes(times: readonly number[]): { readonly from: number; readonly to: number }[] {
  const groups: { from: number; to: number }[] = [];
  for (const time of times.toSorted((one, other) => one - other)) {
    const last = groups.at(-1);
    if (last !== undefined && time - last.to <= joinWithinMs) last.to = time;
    else groups.push({ from: time, to: time });
  }
  return groups;
}

function enteredAtOf(dlqId: DlqId): number {
  return Number(dlqId.slice(0, dlqId.indexOf("-")));
}
