import type { DlqId } from "../../message/dead-letter.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import { mayBeForgotten } from "./ledger-loss.ts";
import { idsOf, type FoundRecord, type KnownRecord } from "./records.ts";

/**
 * Asks the ledger what was done to each record. A come-back is evidence that its parent was published. In live mode this
 * evidence is written first, so that a forgotten parent on this or a later page is settled and not republished.
 */
export async function lookUp(
  drain: DrainRuntime,
  found: readonly FoundRecord[],
): Promise<readonly KnownRecord[]> {
  if (found.length === 0) return [];
  const { ledger } = drain.source;
  const newComeBacks = drain.config.mode === "live" ? await writeEvidence(drain.source, found) : new Set();
  const { views, ...stamp } = await ledger.look(idsOf(found));
  return found.map((record, index) => {
    const view = views[index] ?? { state: "absent" };
    return {
      ...record,
      view,
      viewedAt: stamp.at,
      mayBeForgotten: mayBeForgotten(record.letter, view, stamp, ledger.limits),
      isNewComeBack: newComeBacks.has(record.letter.dlqId),
    };
  });
}

/** Writes the evidence. Answers the come-backs that name their parent for the first time. */
async function writeEvidence(
  { ledger, identities }: SourceRuntime,
  found: readonly FoundRecord[],
): Promise<ReadonlySet<DlqId>> {
  const comeBacks = found.flatMap(({ letter, reading }) =>
    reading.kind === "come-back" ? [{ letter, lineage: reading.lineage }] : [],
  );
  if (comeBacks.length === 0) return new Set();
  const namedBy = identities.token();
  const { verdicts } = await ledger.published(
    comeBacks.map(({ letter, lineage }) => ({
      dlqId: lineage.parentDlqId,
      as: letter.messageId,
      attempt: lineage.attempt,
      deletePending: false,
      namedBy,
      drain: null,
      messageId: null,
    })),
  );
  return new Set(
    comeBacks.flatMap(({ letter }, index) => (verdicts[index]?.firstNaming === true ? [letter.dlqId] : [])),
  );
}
