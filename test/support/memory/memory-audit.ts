import type { Audit, AuditReader } from "../../../src/ports/audit.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import type { SourceId } from "../../../src/ports/ids.ts";
import { parseEntryText, toTexts } from "../../../src/store/audit/entry-text.ts";
import { createAuditOver } from "../../../src/store/audit/late-entries.ts";
import type { AuditLimits } from "../../../src/store/audit/limits.ts";
import { selectRecords } from "../../../src/store/audit/select-records.ts";
import { traceLineage } from "../../../src/store/audit/trace-lineage.ts";

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
