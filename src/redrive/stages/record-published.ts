import type { MessageId } from "../../message/dead-letter.ts";
import { isRedisAway } from "../../ports/errors.ts";
import type { PublishedFact } from "../../ports/ledger.ts";
import { noteFact, ofDrain } from "../note-act.ts";
import { parentOf } from "./audit-record.ts";
import type { Begun, Posting } from "./posting.ts";

/** What one position of an answer proved. */
export interface Acceptance {
  readonly one: Begun;
  readonly as: MessageId;
  readonly deduplicated: boolean;
}

/** Writes the facts of an answer, at once and before anything is deleted, and tells of them. */
export async function recordPublished(posting: Posting, accepted: readonly Acceptance[]): Promise<void> {
  const { source, config } = posting.drain;
  const { events, ledger, unwritten } = source;
  const facts = accepted.map(({ one: { candidate }, as }): PublishedFact => ({
    dlqId: candidate.letter.dlqId,
    as,
    attempt: candidate.lineage.attempt,
    deletePending: true,
    drain: config.name,
    messageId: candidate.letter.messageId,
  }));
  // Both are on their way at once; the ledger's answer counts.
  const noted = notePublished(posting, accepted);
  try {
    const { verdicts } = await ledger.published(facts);
    for (const [index, verdict] of verdicts.entries()) {
      const fact = facts[index];
      if (verdict.kind !== "already" || fact === undefined || verdict.as === fact.as) continue;
      const { dlqId, as: second } = fact;
      events.emit({
        type: "double:found",
        drain: config.name,
        source: source.config.id,
        dlqId,
        first: verdict.as,
        second,
      });
    }
  } catch (error) {
    if (!isRedisAway(error)) throw error;
    // The proof is in hand: the delete may go on without Redis, and the fact is written when it answers again.
    unwritten.keep(facts);
  }
  await noted;
  for (const { one, as, deduplicated } of accepted) {
    const { dlqId } = one.candidate.letter;
    const common = { drain: config.name, source: source.config.id, dlqId };
    events.emit({
      type: "record:published",
      ...common,
      messageId: as,
      deduplicated,
      attempt: one.candidate.lineage.attempt,
    });
    if (one.declaredDouble !== false) {
      events.emit({ type: "double:declared", ...common, why: one.declaredDouble });
    }
  }
}

function notePublished({ drain }: Posting, accepted: readonly Acceptance[]): Promise<void> {
  const records = accepted.map(({ one: { candidate, declaredDouble }, as, deduplicated }) => {
    const notes = [
      ...(deduplicated ? ["deduplicated"] : []),
      ...(declaredDouble === false ? [] : [declaredDouble]),
    ];
    return {
      dlqId: candidate.letter.dlqId,
      as,
      attempt: candidate.lineage.attempt,
      ...parentOf(candidate),
      ...(notes.length === 0 ? {} : { notes }),
    };
  });
  return noteFact(drain.source, "published", records, ofDrain(drain));
}
