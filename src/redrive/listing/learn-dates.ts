import { parseRecord } from "../../message/parse-record.ts";
import type { DeadLetter, RawRecord } from "../../message/dead-letter.ts";
import type { ListQuery } from "../../ports/service.ts";
import { createPageSize, isTooLarge, listFitting, noRoom, type TakeRoom } from "./list-fitting.ts";
import { listPage } from "./list-page.ts";
import type { SourceRuntime } from "../runtime.ts";

/** The two moments must be this far apart, so that rounding on the service's side cannot make them one. */
export const apartMs = 1_000;

/**
 * Whether it entered the DLQ when it was created: nothing can be learned from it, and nothing about it
 * depends on what is learned.
 */
export function letterDatesAgree({
  enteredAt,
  createdAt,
}: Pick<DeadLetter, "enteredAt" | "createdAt">): boolean {
  return Math.abs(enteredAt - createdAt) < apartMs;
}

/**
 * Learns what fromDate and toDate of this source mean, once: lists the one millisecond in which a record entered the DLQ. If
 * the record is there the dates mean entry; if it is there by its createdAt they mean creation; else nothing is learned.
 * Service documents leave this open (remote-contract.md), and only dates that mean entry allow passes over what is new.
 */
export async function learnDates(
  source: SourceRuntime,
  records: readonly RawRecord[],
  signal: AbortSignal,
): Promise<"entered" | "created" | null> {
  // Not waited for: who waits holds the page of these records. The next window asks again.
  const take: TakeRoom = async (bytes) => {
    const lease = source.memory.tryAcquire(bytes);
    if (lease === null) throw noRoom;
    return lease;
  };
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
        const page = await listFitting(list, query, createPageSize(), { memory: source.memory, take });
        page.release();
        return page.records.some((listed) => listed["dlqId"] === dlqId);
      } catch (error) {
        if (isTooLarge(error) || error === noRoom) return false;
        throw error;
      }
    };
    const meaning = (await isListedAt(enteredAt))
      ? "entered"
      : (await isListedAt(createdAt))
        ? "created"
        : null;
    if (meaning === null) return null;
    await source.book.learnDates(meaning);
    source.events.emit({ type: "source:dates-learned", source: source.config.id, meaning });
    return meaning;
  }
  return null;
}
