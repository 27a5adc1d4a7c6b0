import type { RawRecord } from "../../message/dead-letter.ts";
import { toEnteredAt } from "../../message/parse-record.ts";
import { createSelectMatcher } from "../../message/select.ts";
import type { DrainConfig } from "../../ports/drains.ts";
import { resolveEdge } from "../../rules/patterns/parse-edge.ts";

/** What `fromDate` and `toDate` of a source mean; null: not known yet, then entry is taken. */
export type DatesMeaning = "entered" | "created" | null;

/**
 * Whether a drain lists a record at `now` (Unix ms by the service's clock), or will as it grows older: an upper end that moves with
 * the clock reaches it. A date that a record lacks excludes nothing.
 */
export type DrainSelects = (record: RawRecord, now: number) => boolean;

/** Whether a drain lists all that its source has. */
export function selectsEverything({ select, dates }: Pick<DrainConfig, "select" | "dates">): boolean {
  return Object.keys(select).length === 0 && dates === undefined;
}

export function createDrainSelects(
  { select, dates }: Pick<DrainConfig, "select" | "dates">,
  datesMean: DatesMeaning,
): DrainSelects {
  const matches = createSelectMatcher(select);
  if (dates === undefined) return matches;
  return (record, now) => {
    if (!matches(record)) return false;
    const at = datesMean === "created" ? createdAtOf(record) : enteredAtOf(record);
    if (at === null) return true;
    if (dates.from !== undefined && at < resolveEdge(dates.from, now)) return false;
    return dates.to?.kind !== "at" || at <= dates.to.at;
  };
}

/** When a record entered the DLQ, Unix ms, as far as its id says so; also of one that is unusable otherwise. */
export function enteredAtOf({ dlqId }: RawRecord): number | null {
  return typeof dlqId === "string" ? toEnteredAt(dlqId) : null;
}

/**
 * Whether a record may be deleted by its source until `by` (Unix ms by the service's clock). Where its id does not say when it entered the
 * DLQ, that was not before it was created; of one that does not say that either, nobody knows, so it is taken for near.
 */
export function expiresBy(record: RawRecord, retentionMs: number, by: number): boolean {
  const enteredAt = enteredAtOf(record) ?? createdAtOf(record);
  return enteredAt === null || enteredAt + retentionMs <= by;
}

function createdAtOf({ createdAt }: RawRecord): number | null {
  return typeof createdAt === "number" ? createdAt : null;
}
