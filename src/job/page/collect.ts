import type { RawRecord, UnusableRecord } from "../message/dead-letter.ts";
import { withRootFlowControl } from "../message/flow-control.ts";
import { readLineage } from "../message/lineage.ts";
import { parseRecord } from "../message/parse-record.ts";
import { failureKindOf } from "../failures/failure-kind.ts";
import type { FoundRecord } from "./records.ts";

/**
 * Parses a page's records, each once. A come-back gets the flow control of its root. An id belongs to the letter
 * that has it: another record under it is unusable without an id.
 */
export function collect(records: readonly RawRecord[], lineageKeys: readonly string[]) {
  const found = new Map<string, FoundRecord>();
  const unusable: UnusableRecord[] = [];
  const malformed = new Map<string, UnusableRecord>();
  for (const raw of records) {
    const parsed = parseRecord(raw);
    if (parsed.kind === "unusable") {
      const { reason, problem, dlqId } = parsed;
      if (dlqId === undefined) unusable.push({ reason, problem });
      else malformed.set(dlqId, { reason, problem, dlqId });
      continue;
    }
    const { letter } = parsed;
    if (found.has(letter.dlqId)) continue;
    const reading = readLineage(letter, lineageKeys);
    const failure = failureKindOf(letter);
    found.set(letter.dlqId, { raw, letter: withRootFlowControl(letter, reading), reading, failure });
  }
  for (const [id, one] of malformed) {
    const { dlqId: _, ...nameless } = one;
    unusable.push(found.has(id) ? nameless : one);
  }
  return { found: [...found.values()], unusable };
}
