import { json, type EmulatorAnswer } from "../http/answers.ts";
import type { Exchange } from "../http/read-request.ts";
import { naturalOf } from "../http/parse-body-and-query.ts";
import { happeningTypes, type Journal, type JournalEntry } from "../journal.ts";
import { EmulatorRefusal } from "../refusal.ts";

/** How long a request may be kept waiting: ten minutes, in real milliseconds. */
export const maxWaitMs = 600_000;
const defaultLimit = 1_000;

/**
 * Entries oldest first. `next` is the `after` of the next page, absent at the end; `last` is the number of
 * the newest entry of any kind; `forgotten` counts the entries after `after` that are not kept any more. With
 * `wait` an empty answer is held back for so many real milliseconds, or until there is an entry.
 */
export async function journalAnswer(journal: Journal, { query }: Exchange): Promise<EmulatorAnswer> {
  const after = naturalOf(query, "after", 0);
  const limit = naturalOf(query, "limit", defaultLimit);
  const waitMs = naturalOf(query, "wait", 0, maxWaitMs);
  const wanted = wantedBy(query);
  if (limit > 0 && waitMs > 0) {
    const asked = (entry: JournalEntry): boolean => entry.seq > after && wanted(entry);
    await journal.waitFor(asked, AbortSignal.timeout(waitMs)).catch(() => undefined);
  }
  // One more than asked for: it shows that the page is not the last.
  const found: JournalEntry[] = [];
  for (const entry of journal.since(after)) {
    if (found.length > limit) break;
    if (wanted(entry)) found.push(entry);
  }
  const entries = found.slice(0, limit);
  return json(200, {
    entries,
    next: found.length > limit ? (entries.at(-1)?.seq ?? after) : undefined,
    last: journal.lastSeq,
    forgotten: journal.forgottenAfter(after) || undefined,
  });
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
