import type { DlqId, MessageId } from "../../../message/dead-letter.ts";
import { letterDatesAgree } from "../../listing/learn-dates.ts";
import { toRootHash } from "../../lanes/lane-id.ts";
import { isRedriverError } from "../../../ports/errors.ts";
import type { LaneSent } from "../../../ports/lanes.ts";
import type { PublishedFact, PublishedVerdict } from "../../../ports/ledger.ts";
import { canariesByStep } from "../../lanes/canaries.ts";
import { recordFact, ofDrain } from "../../record-act.ts";
import type { DrainRuntime } from "../../runtime.ts";
import { parentOf } from "../audit-record.ts";
import type { Begun } from "../records.ts";
import type { PublishContext } from "./publish-context.ts";

/** The proof of one position of an answer. */
export interface Acceptance {
  readonly one: Begun;
  readonly as: MessageId;
  readonly deduplicated: boolean;
}

/** False for a hit on the first POST of its series: it was published earlier, and that was forgotten. */
export function isOfNow({ one, deduplicated }: Acceptance): boolean {
  return !deduplicated || one.series.posts > 1;
}

/** Records and reports the facts of an answer, at once and before anything is deleted. */
export async function recordPublished(
  context: PublishContext,
  accepted: readonly Acceptance[],
): Promise<void> {
  const { source, config } = context.drain;
  const { events, lanes, ledger, unwritten } = source;
  const facts = accepted.map(({ one: { candidate }, as }): PublishedFact => ({
    dlqId: candidate.letter.dlqId,
    as,
    attempt: candidate.lineage.attempt,
    deletePending: true,
    ...(letterDatesAgree(candidate.letter) ? { datesAgree: true } : {}),
    drain: config.name,
    messageId: candidate.letter.messageId,
  }));
  const doubles = new Set<DlqId>();
  try {
    // In parallel, so that lanes cost no extra round trip.
    const [{ verdicts }] = await Promise.all([
      ledger.published(facts),
      lanes.sent(toSent(accepted), config.lane?.watchMs ?? 0),
    ]);
    for (const [index, verdict] of verdicts.entries()) {
      const fact = facts[index];
      const first = publishedBefore(verdict);
      if (fact === undefined || first === undefined || first === fact.as) continue;
      const { dlqId, as: second } = fact;
      doubles.add(dlqId);
      events.emit({
        type: "double:found",
        drain: config.name,
        source: source.config.id,
        dlqId,
        first,
        second,
      });
    }
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    // The proof is in hand, so the delete goes on without Redis. The fact is written when Redis is back.
    unwritten.keep(facts);
  }
  await recordPublishedActs(context, accepted, doubles);
  for (const acceptance of accepted) {
    const { one, as, deduplicated } = acceptance;
    const { dlqId } = one.candidate.letter;
    const common = { drain: config.name, source: source.config.id, dlqId };
    events.emit({
      type: "record:published",
      ...common,
      messageId: as,
      deduplicated,
      attempt: one.candidate.lineage.attempt,
      canary: one.candidate.lineage.step?.isCanary === true && isOfNow(acceptance),
    });
  }
  reportDeclaredDoubles(
    context.drain,
    accepted.map(({ one }) => one),
  );
}

function toSent(accepted: readonly Acceptance[]): readonly LaneSent[] {
  const steps = canariesByStep(accepted.filter(isOfNow).map(({ one }) => one.candidate));
  return steps.map(({ lane, step, canaries }) => ({
    lane,
    step,
    roots: canaries.map(({ lineage }) => toRootHash(lineage.rootId)),
  }));
}

/** The id of another publish of the same record. A tombstone remembers it as well. */
function publishedBefore(verdict: PublishedVerdict): MessageId | undefined {
  return verdict.kind === "already" || verdict.kind === "gone" ? verdict.as : undefined;
}

/** Counts each series that may double an earlier one with the first of its POSTs that may have been accepted. */
export function reportDeclaredDoubles({ source, config }: DrainRuntime, begun: readonly Begun[]): void {
  for (const { candidate, series, declaredDouble } of begun) {
    if (declaredDouble === false || series.posts - series.refusals !== 1) continue;
    const { dlqId } = candidate.letter;
    source.events.emit({
      type: "double:declared",
      drain: config.name,
      source: source.config.id,
      dlqId,
      why: declaredDouble,
    });
  }
}

function recordPublishedActs(
  { drain }: PublishContext,
  accepted: readonly Acceptance[],
  doubles: ReadonlySet<DlqId>,
): Promise<void> {
  const records = accepted.map(({ one: { candidate, declaredDouble }, as, deduplicated }) => {
    const notes = [
      ...(deduplicated ? ["deduplicated"] : []),
      ...(declaredDouble === false ? [] : [declaredDouble]),
      ...(doubles.has(candidate.letter.dlqId) ? ["double-found"] : []),
    ];
    return {
      dlqId: candidate.letter.dlqId,
      as,
      attempt: candidate.lineage.attempt,
      ...parentOf(candidate),
      ...(notes.length === 0 ? {} : { notes }),
    };
  });
  return recordFact(drain.source, "published", records, ofDrain(drain));
}
