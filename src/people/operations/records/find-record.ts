import type { DlqId, RawRecord } from "../../../job/message/dead-letter.ts";
import { toEnteredAt } from "../../../job/message/parse-record.ts";
import { withOwnCallback } from "../../../job/message/proof-callback-url.ts";
import type { Select } from "../../../job/message/select.ts";
import { createPageSize, listWithinMemory } from "../../../job/listing/list-page.ts";
import { followCursor } from "../../../job/listing/list-to-end.ts";
import type { SourceRuntime } from "../../../job/runtime.ts";

export interface RecordSearch {
  /** Redis is not asked. */
  readonly source: Pick<SourceRuntime, "service" | "memory" | "lineageKeys">;
  readonly select: Select;
  readonly signal: AbortSignal;
  readonly onPage: (listed: number) => void;
}

/**
 * Lists a selection until it shows this dead letter; null when it ends without it. The millisecond of its id
 * is asked for first: if the service's dates mean entry into the DLQ that is one call. Throws
 * `listing-endless` and the RedriverErrors of a list call. Behind an `answer-too-large` nothing is listed.
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

/**
 * Asks for the millisecond of its id with one call; one more only for an answer too large. Null proves nothing: others may
 * share the millisecond, and the service's dates may mean creation.
 */
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
    { memory: source.memory, waitSignal: () => signal },
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
  let listed = 0;
  for await (const { records, release } of followCursor((at) =>
    listWithinMemory((query) => source.service.list(query, signal), { select, ...dates, ...at }, size, {
      memory: source.memory,
      waitSignal: () => signal,
    }),
  )) {
    release();
    const found = records.find((record) => record["dlqId"] === dlqId);
    if (found !== undefined) return withOwnCallback(found, source.lineageKeys());
    listed += records.length;
    onPage(listed);
  }
  return null;
}
