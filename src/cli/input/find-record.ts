import type { DlqId, RawRecord } from "../../message/dead-letter.ts";
import { toEnteredAt } from "../../message/parse-record.ts";
import type { Select } from "../../message/select.ts";
import type { MessageService } from "../../ports/service.ts";
import { followCursor } from "../../redrive/listing/follow-cursor.ts";
import { createPageSize, listWithinMemory } from "../../redrive/listing/list-within-memory.ts";
import type { PageMemory } from "../../redrive/listing/limit-page-memory.ts";

export interface RecordSearch {
  readonly service: Pick<MessageService, "list">;
  readonly select: Select;
  readonly memory: PageMemory;
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

async function listUntil(
  dlqId: DlqId,
  { service, select, memory, signal, onPage }: RecordSearch,
  dates: { readonly fromDate?: number; readonly toDate?: number },
): Promise<RawRecord | null> {
  const size = createPageSize();
  let listed = 0;
  for await (const { records, release } of followCursor((at) =>
    listWithinMemory((query) => service.list(query, signal), { select, ...dates, ...at }, size, {
      memory,
      waitSignal: () => signal,
    }),
  )) {
    release();
    const found = records.find((record) => record["dlqId"] === dlqId);
    if (found !== undefined) return found;
    listed += records.length;
    onPage(listed);
  }
  return null;
}
