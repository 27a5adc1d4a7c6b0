import { json, type EmulatorAnswer, type Exchange } from "../http/exchange.ts";
import { naturalOf } from "../http/query-parameters.ts";
import { happeningTypes, type Journal, type JournalEntry } from "../journal.ts";
import { EmulatorRefusal } from "../refusal.ts";
import { maxWaitMs, within } from "./wait-within.ts";

const defaultLimit = 1_000;

/**
 * Entries oldest first. `next` is the `after` of the next page, absent at the end; `last` is the number of
 * the newest entry of any kind; `forgotten` counts the entries after `after` that are not kept any more. With
 * `wait` an empty answer is held back for so many real milliseconds, or until there is an entry.
 */
export async function journalAnswer(journal: Journal, exchange: Exchange): Promise<EmulatorAnswer> {
  const after = naturalOf(exchange.query, "after", 0);
  const limit = naturalOf(exchange.query, "limit", defaultLimit);
  const waitMs = naturalOf(exchange.query, "wait", 0, maxWaitMs);
  const wanted = wantedBy(exchange.query);
  let page = pageOf(journal, after, limit, wanted);
  if (page.entries.length === 0 && limit > 0 && waitMs > 0) {
    const asked = (entry: JournalEntry): boolean => entry.seq > after && wanted(entry);
    const came = await within(waitMs, (signal) => journal.waitForNext(asked, signal));
    if (came) page = pageOf(journal, after, limit, wanted);
  }
  const forgotten = journal.forgottenAfter(after);
  return json(200, { ...page, last: journal.lastSeq, forgotten: forgotten === 0 ? undefined : forgotten });
}

function wantedBy(query: URLSearchParams): (entry: JournalEntry) => boolean {
  const types = new Set(query.getAll("type").flatMap((value) => value.split(",")));
  const unknown = [...types].find((type) => !happeningTypes.includes(type));
  if (unknown !== undefined)
    throw new EmulatorRefusal(400, `type: nothing in the journal is called ${unknown}`);
  const messageId = query.get("messageId");
  return (entry) =>
    (types.size === 0 || types.has(entry.type)) &&
    (messageId === null || ("messageId" in entry && entry.messageId === messageId));
}

function pageOf(
  journal: Journal,
  after: number,
  limit: number,
  wanted: (entry: JournalEntry) => boolean,
): { readonly entries: readonly JournalEntry[]; readonly next: number | undefined } {
  const entries: JournalEntry[] = [];
  for (const entry of journal.since(after)) {
    if (!wanted(entry)) continue;
    if (entries.length === limit) return { entries, next: entries.at(-1)?.seq ?? after };
    entries.push(entry);
  }
  return { entries, next: undefined };
}
