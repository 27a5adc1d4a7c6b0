import type { RawRecord, UnusableRecord } from "../message/dead-letter.ts";
import { withRootFlowControl } from "../message/flow-control.ts";
import { readLineage } from "../message/lineage.ts";
import { parseRecord } from "../message/parse-record.ts";
import { failureKindOf } from "../message/failure-kind.ts";
import { isOfInput } from "../by-halves.ts";
import { Letter } from "./letter.ts";

export interface Unreadable {
  readonly unusable: readonly UnusableRecord[];
  readonly broken: readonly { readonly raw: RawRecord; readonly error: unknown }[];
}

/** Each record once. An id belongs to the letter that has it: another record under it is unusable without an id. */
export function parsePage(
  records: readonly RawRecord[],
  lineageKeys: readonly string[],
): Unreadable & { readonly letters: readonly Letter[] } {
  const letters = new Map<string, Letter>();
  const unusable: UnusableRecord[] = [];
  const malformed = new Map<string, UnusableRecord>();
  const broken: { readonly raw: RawRecord; readonly error: unknown }[] = [];
  for (const raw of records) {
    try {
      const parsed = parseRecord(raw);
      if (parsed.kind === "unusable") {
        const { reason, problem, dlqId } = parsed;
        if (dlqId === undefined) unusable.push({ reason, problem, raw });
        else malformed.set(dlqId, { reason, problem, dlqId, raw });
        continue;
      }
      const { letter } = parsed;
      if (letters.has(letter.dlqId)) continue;
      const reading = readLineage(letter, lineageKeys);
      const content = reading.kind === "none" ? letter : withRootFlowControl(letter, reading);
      letters.set(letter.dlqId, new Letter(raw, content, reading, failureKindOf(letter)));
    } catch (error) {
      if (!isOfInput(error)) throw error;
      broken.push({ raw, error });
    }
  }
  for (const [id, one] of malformed) {
    const { dlqId: _, ...nameless } = one;
    unusable.push(letters.has(id) ? nameless : one);
  }
  return { letters: [...letters.values()], unusable, broken };
}
