import type { DlqId, RawRecord } from "../message/dead-letter.ts";
import { toEnteredAt } from "../message/parse-record.ts";
import type { MessageService, Select } from "../ports/service.ts";
import { RedriverError } from "../ports/errors.ts";

/** A listing that does not end is a fault of the service. */
const mostPages = 100_000;
const recordsPerPage = 100;

export interface Search {
  readonly service: Pick<MessageService, "list">;
  readonly select: Select;
  readonly signal: AbortSignal;
  readonly onPage: (listed: number) => void;
}

/**
 * Lists a selection until it shows this dead letter; null when it ends without it. The millisecond of its id is asked for first: where
 * the service's dates mean entry into the DLQ that is one call. Throws the RedriverErrors of a list call.
 */
export async function findListed(dlqId: DlqId, search: Search): Promise<RawRecord | null> {
  return (await findNear(dlqId, search)) ?? (await listUntil(dlqId, search, {}));
}

/** Asks only for the millisecond of its id, so null proves absence only where the service's dates mean entry into the DLQ. */
export async function findNear(dlqId: DlqId, search: Search): Promise<RawRecord | null> {
  const enteredAt = toEnteredAt(dlqId);
  if (enteredAt === null) return null;
  return listUntil(dlqId, search, { fromDate: enteredAt, toDate: enteredAt });
}

async function listUntil(
  dlqId: DlqId,
  { service, select, signal, onPage }: Search,
  dates: { readonly fromDate?: number; readonly toDate?: number },
): Promise<RawRecord | null> {
  let cursor: string | undefined;
  let listed = 0;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = await service.list(
      { select, ...dates, count: recordsPerPage, ...(cursor === undefined ? {} : { cursor }) },
      signal,
    );
    const found = answer.records.find((record) => record["dlqId"] === dlqId);
    if (found !== undefined) return found;
    listed += answer.records.length;
    onPage(listed);
    if (answer.cursor === undefined) return null;
    cursor = answer.cursor;
  }
  throw new RedriverError("answer-unreadable", `the listing did not end within ${mostPages} pages`);
}
