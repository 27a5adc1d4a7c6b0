import type { RawRecord } from "../message/dead-letter.ts";
import { createSelectMatcher } from "../message/select.ts";
import type { DrainConfig } from "../contracts/drains-document.ts";
import { resolveEdge } from "../rules/patterns/parse-dates.ts";
import { enteredAtOf } from "../message/parse-record.ts";
import { createdAtOf } from "./record-dates.ts";

/** The meaning of a source's `fromDate` and `toDate`; null: not known yet, and taken as entry. */
export type DatesMeaning = "entered" | "created" | null;

/** At `now` or later: an upper end that moves reaches every record. One without a date is not excluded by it. */
export type DrainSelects = (record: RawRecord, now: number) => boolean;

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
