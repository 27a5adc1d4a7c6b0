import type { PublishedFact } from "../../ports/ledger.ts";
import type { DrainRuntime } from "../runtime.ts";
import { idsOf, type FoundRecord, type KnownRecord } from "./records.ts";

/**
 * Asks the ledger what was done to each record. A come-back is evidence that its parent was published: in live mode that is
 * written first, so that a forgotten parent on this or a later page is settled and not republished.
 */
export async function lookUp(
  drain: DrainRuntime,
  found: readonly FoundRecord[],
): Promise<readonly KnownRecord[]> {
  if (found.length === 0) return [];
  const { ledger } = drain.source;
  if (drain.config.mode === "live") {
    const evidence = found.flatMap(toEvidence);
    if (evidence.length > 0) await ledger.published(evidence);
  }
  const { views, at } = await ledger.look(idsOf(found));
  return found.map((record, index) => ({
    ...record,
    view: views[index] ?? { state: "absent" },
    viewedAt: at,
  }));
}

function toEvidence({ letter, reading }: FoundRecord): PublishedFact[] {
  if (reading.kind !== "come-back") return [];
  return [
    {
      dlqId: reading.lineage.parentDlqId,
      as: letter.messageId,
      attempt: reading.lineage.attempt,
      deletePending: false,
      drain: null,
      messageId: null,
    },
  ];
}
