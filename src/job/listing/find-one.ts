import type { DlqId, RawRecord } from "../message/dead-letter.ts";
import { toEnteredAt } from "../message/parse-record.ts";
import { withOwnCallback } from "../message/proof-callback-url.ts";
import { defined } from "../message/defined.ts";
import { createSelectMatcher, withoutLeft, type Select } from "../message/select.ts";
import type { ListQuery, MessageService } from "../contracts/service.ts";
import type { FailureKind } from "../message/failure-kind.ts";
import { byHalves } from "../by-halves.ts";
import { parsePage } from "../page/parse-page.ts";
import { createPageSize, isTooLarge, listPage, listWithinMemory, smallAnswerBytes } from "./list-page.ts";
import { followCursor, type ListingRange } from "./list-to-end.ts";
import type { SourceRuntime } from "../runtime.ts";

export interface RecordSearch {
  /** Redis is not asked. */
  readonly source: Pick<SourceRuntime, "service" | "memory" | "lineageKeys">;
  readonly select: Select;
  readonly signal: AbortSignal;
  readonly onPage: (listed: number) => void;
}

/**
 * Lists a selection until it shows this dead letter. The millisecond of its id comes first: one call, if dates mean
 * entry. Throws `listing-endless` and as a list call. Behind an `answer-too-large` nothing is listed.
 */
export async function findRecord(dlqId: DlqId, search: RecordSearch): Promise<RawRecord | null> {
  return (await findNear(dlqId, search)) ?? (await listUntil(dlqId, search, {}));
}

/** Asks only for the millisecond of its id: null proves absence only if the service's dates mean entry. */
export async function findNear(dlqId: DlqId, search: RecordSearch): Promise<RawRecord | null> {
  const enteredAt = toEnteredAt(dlqId);
  if (enteredAt === null) return null;
  return listUntil(dlqId, search, { fromDate: enteredAt, toDate: enteredAt });
}

/** Two calls if the answer is too large. Null proves nothing: others may share the millisecond. */
export async function findWithOneCall(
  dlqId: DlqId,
  { source, signal }: Pick<RecordSearch, "source" | "signal">,
): Promise<RawRecord | null> {
  const enteredAt = toEnteredAt(dlqId);
  if (enteredAt === null) return null;
  const { records, release } = await listWithinMemory(
    (query) => source.service.list(query, signal),
    { select: {}, fromDate: enteredAt, toDate: enteredAt },
    { ...createPageSize(), expectsLargeAnswer: true },
    roomOf(source, signal),
  );
  release();
  const found = records.find((record) => record["dlqId"] === dlqId);
  return found === undefined ? null : withOwnCallback(found, source.lineageKeys());
}

async function listUntil(
  dlqId: DlqId,
  { source, select, signal, onPage }: RecordSearch,
  dates: { readonly fromDate?: number; readonly toDate?: number },
): Promise<RawRecord | null> {
  const size = createPageSize();
  const isSelected = createSelectMatcher({ ...defined({ not: select.not }) });
  let listed = 0;
  const list = (query: ListQuery) => source.service.list(query, signal);
  for await (const { records, release } of followCursor((at) =>
    listWithinMemory(list, { select, ...dates, ...at }, size, roomOf(source, signal)),
  )) {
    release();
    const found = records.find((record) => record["dlqId"] === dlqId && isSelected(record));
    if (found !== undefined) return withOwnCallback(found, source.lineageKeys());
    listed += records.length;
    onPage(listed);
  }
  return null;
}

export async function findOfKind(
  source: SourceRuntime,
  query: ListingRange,
  isOfKind: (kind: FailureKind) => boolean,
  signal: AbortSignal,
): Promise<RawRecord | null> {
  const list = (paged: ListQuery) => listPage(source, paged, signal);
  const page = await listWithinMemory(list, query, createPageSize(), roomOf(source, signal));
  page.release();
  const found = await byHalves(
    withoutLeft(page, query.select).records,
    async (some) => parsePage(some, source.lineageKeys()).letters,
    () => Promise.resolve([]),
  );
  return found.flat().find(({ failure }) => isOfKind(failure))?.raw ?? null;
}

function roomOf({ memory }: Pick<SourceRuntime, "memory">, signal: AbortSignal) {
  return { memory, waitSignal: () => signal };
}

/** Lists one record, to see if this token may. Throws as the service does. */
export async function listOne(service: Pick<MessageService, "list">, signal: AbortSignal): Promise<void> {
  try {
    await service.list({ select: {}, count: 1, maxBytes: smallAnswerBytes }, signal);
  } catch (error) {
    // The first record alone is larger than this look reads, and it was listed.
    if (!isTooLarge(error)) throw error;
  }
}
