import { appendFileSync } from "node:fs";
import { RedriverError } from "../job/contracts/errors.ts";
import type { NewAuditEntry } from "../job/contracts/audit.ts";
import type { Logger } from "./logger.ts";

/** Container runtimes cut a line at 16 KiB; a record with all its fields is about 280 bytes. */
const recordsPerLine = 50;

interface Lines {
  readonly write: (line: string) => void;
}

/**
 * Stdout, or a file that is opened for each line, so that it may be moved away at any time. What it does not take
 * goes to stdout. Throws `settings-invalid` if there can be no such file.
 */
export function openAuditLines(to: string, stdout: Lines): Lines {
  if (to === "none" || to === "stdout") return stdout;
  const append = (line: string): void => appendFileSync(to, line, { mode: 0o640 });
  try {
    append("");
  } catch (cause) {
    const message = `log.audit (REDRIVER_LOG_AUDIT): expected a file that can be written to, got ${JSON.stringify(to)}: ${String(cause)}`;
    throw new RedriverError("settings-invalid", message, { cause });
  }
  return {
    write(line) {
      try {
        append(line);
      } catch {
        stdout.write(line);
      }
    },
  };
}

/** Writes acts as lines with `audit: true`: one per act, or one per 50 of its records. */
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
