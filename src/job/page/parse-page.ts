import type { RawRecord, UnusableRecord } from "../message/dead-letter.ts";
import { withRootFlowControl } from "../message/flow-control.ts";
import { readLineage } from "../message/lineage.ts";
import { parseRecord } from "../message/parse-record.ts";
import { failureKindOf } from "../message/failure-kind.ts";
import { Letter } from "./letter.ts";

/**
 * Parses a page's records, each once. A come-back gets the flow control of its root. An id belongs to the letter
 * that has it: another record under it is unusable without an id.
 */
export function parsePage(records: readonly RawRecord[], lineageKeys: readonly string[]) {
  const letters = new Map<string, Letter>();
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
    if (letters.has(letter.dlqId)) continue;
    const reading = readLineage(letter, lineageKeys);
    const content = withRootFlowControl(letter, reading);
    letters.set(letter.dlqId, new Letter(raw, content, reading, failureKindOf(letter)));
  }
  for (const [id, one] of malformed) {
    const { dlqId: _, ...nameless } = one;
    unusable.push(letters.has(id) ? nameless : one);
  }
  return { letters: [...letters.values()], unusable };
}
