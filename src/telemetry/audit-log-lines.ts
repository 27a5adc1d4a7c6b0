import type { NewAuditEntry } from "../job/contracts/audit.ts";
import type { Logger } from "./logger.ts";

/** Container runtimes cut a line at 16 KiB; a record with all its fields is about 280 bytes. */
const recordsPerLine = 50;

/**
 * Writes acts as lines of the log with `audit: true`: one per act, or one per 50 of its records. They have
 * the fields of the audit: ids, rules and reasons.
 */
export function createAuditLog(logger: Logger): (entry: NewAuditEntry) => void {
  return (entry) => {
    const { records, ...act } = entry;
    for (let start = 0; start === 0 || start < records.length; start += recordsPerLine) {
      const here = records.slice(start, start + recordsPerLine);
      logger.info({ audit: true, ...act, records: here }, toMessage(entry, here.length));
    }
  };
}

function toMessage({ act, drain, records, why, lane }: NewAuditEntry, count: number): string {
  const where = drain === null ? "" : ` in ${drain}`;
  const what = records.length === 0 ? "" : ` ${count}`;
  const said = lane === undefined ? why : `${lane.origin}: ${lane.why}`;
  return `${act}${what}${where}${said === undefined ? "" : `: ${said}`}`;
}
