import type { Audit, AuditReader } from "../ports/audit.ts";
import type { Clock } from "../ports/clock.ts";
import type { SourceId } from "../ports/ids.ts";
import { parseEntryText, toTexts } from "./entry-text.ts";
import { createAuditOver } from "./late-entries.ts";
import type { AuditLimits } from "./limits.ts";
import { selectRecords } from "./select-records.ts";
import { traceLineage } from "./trace-lineage.ts";

/** The record of one source in this process: what the Redis one is held against. Nothing survives the process. */
export function createMemoryAudit(
  clock: Pick<Clock, "now">,
  source: SourceId,
  { keepMs, maxBytes }: AuditLimits,
): Audit & AuditReader {
  const kept: { readonly at: number; readonly text: string }[] = [];
  let bytes = 0;

  const audit = createAuditOver((entries) => {
    const at = clock.now();
    for (const text of entries.flatMap(toTexts)) {
      kept.push({ at, text });
      bytes += Buffer.byteLength(text);
    }
    for (let oldest = kept[0]; oldest !== undefined; oldest = kept[0]) {
      if (oldest.at >= at - keepMs && bytes <= maxBytes) break;
      bytes -= Buffer.byteLength(oldest.text);
      kept.shift();
    }
    return Promise.resolve();
  });
  const read: AuditReader["read"] = async function* (query) {
    const { since = 0, until = Number.POSITIVE_INFINITY, order } = query;
    const inTime = kept.filter(({ at }) => at >= since && at <= until);
    for (const { at, text } of order === "newest-first" ? inTime.toReversed() : inTime) {
      const entry = selectRecords(parseEntryText(text, at, source), query);
      if (entry !== null) yield await Promise.resolve(entry);
    }
  };
  return { ...audit, read, lineageOf: (dlqId) => traceLineage(read, dlqId) };
}
