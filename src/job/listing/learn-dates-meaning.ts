import { parseRecord } from "../message/parse-record.ts";
import { letterDatesAgree } from "../message/plausible-dates.ts";
import type { RawRecord } from "../message/dead-letter.ts";
import type { ListQuery } from "../contracts/service.ts";
import { noRoom } from "./limit-page-memory.ts";
import { createPageSize, isTooLarge, listPage, listWithinMemory } from "./list-page.ts";
import type { SourceRuntime } from "../runtime.ts";

/**
 * Learns once what fromDate and toDate mean, which the service's documents leave open (remote-contract.md). If the
 * millisecond in which a record entered lists it, dates mean entry; if that of its createdAt does, creation. Only
 * dates that mean entry allow passes over new records alone.
 */
export async function learnDates(
  source: SourceRuntime,
  records: readonly RawRecord[],
  signal: AbortSignal,
): Promise<"entered" | "created" | null> {
  // No wait for memory: the caller holds the page of these records. The next window asks again.
  const room = { memory: source.memory, waitSignal: null };
  const known = await source.book.datesMean();
  if (known !== null) return known;
  for (const raw of records) {
    const parsed = parseRecord(raw);
    if (parsed.kind === "unusable") continue;
    const { dlqId, enteredAt, createdAt } = parsed.letter;
    if (letterDatesAgree(parsed.letter)) continue;
    const isListedAt = async (date: number): Promise<boolean> => {
      const query = { select: {}, fromDate: date, toDate: date };
      try {
        const list = (sized: ListQuery) => listPage(source, sized, signal);
        const page = await listWithinMemory(list, query, createPageSize(), room);
        page.release();
        return page.records.some((listed) => listed["dlqId"] === dlqId);
      } catch (error) {
        if (isTooLarge(error) || error === noRoom) return false;
        throw error;
      }
    };
    const isEntry = await isListedAt(enteredAt);
    if (!isEntry && !(await isListedAt(createdAt))) return null;
    const meaning = isEntry ? "entered" : "created";
    await source.book.learnDates(meaning);
    source.events.emit({ type: "source:dates-learned", source: source.config.id, meaning });
    return meaning;
  }
  return null;
}
