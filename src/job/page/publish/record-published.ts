import type { DlqId, MessageId } from "../../message/dead-letter.ts";
import type { AuditRecord, NewAuditEntry } from "../../contracts/audit.ts";
import { isRedriverError } from "../../contracts/errors.ts";
import type { EventOf } from "../../contracts/events.ts";
import type { DrainName } from "../../contracts/ids.ts";
import type { PublishedFact, PublishedVerdict } from "../../contracts/ledger.ts";
import { byHalves, isOfInput } from "../../by-halves.ts";
import { canariesByStep } from "../../lanes/canaries-by-step.ts";
import { toRootHash } from "../../lanes/lane-id.ts";
import { letterDatesAgree } from "../../listing/learn-dates-meaning.ts";
import { recordFact, ofDrain, toEntry } from "../../write-audit.ts";
import { serviceNow, type DrainRuntime } from "../../runtime.ts";
import { targetHostOf } from "../audit-record.ts";
import { reportUnworkable } from "../put-aside.ts";
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

/**
 * Records and reports the facts of an answer, before anything is deleted. While Redis is away they wait in
 * memory. The audit gets them in the same step, with the deletes that follow. Answers whether it did: if not,
 * the facts were written apart, and the deletes are still to be written. A fact that the ledger never takes is
 * left out: the proof is in hand, so its delete goes on, and the entry ends as vanished.
 */
export async function recordPublished(
  { drain }: PublishContext,
  accepted: readonly Acceptance[],
): Promise<{ readonly isDeleteAudited: boolean }> {
  const written = await byHalves(
    accepted,
    (some) => writePublished(drain, some),
    async (one, error) => {
      reportUnworkable(drain, one.one.candidate.letter.dlqId, error);
      reportPublished(drain, [one]);
      return { isDeleteAudited: false };
    },
  );
  return { isDeleteAudited: written.every(({ isDeleteAudited }) => isDeleteAudited) };
}

async function writePublished(
  drain: DrainRuntime,
  accepted: readonly Acceptance[],
): Promise<{ readonly isDeleteAudited: boolean }> {
  const { source, config } = drain;
  const { unwritten } = source;
  const facts = accepted.map((one) => toFact(one, config.name));
  const doubles = new Set<DlqId>();
  const entryOf = (act: "published" | "delete", records: readonly AuditRecord[]): NewAuditEntry =>
    toEntry(source, act, records, ofDrain(drain));
  const deletes = facts.map(({ dlqId }) => ({ dlqId }));
  const entries = [entryOf("published", toAuditRecords(accepted, doubles)), entryOf("delete", deletes)];
  let isDeleteAudited = false;
  try {
    // In parallel, so that lanes cost no extra round trip.
    const [{ verdicts, audited }] = await Promise.all([
      source.ledger.published(facts, entries),
      reportToLanes(drain, accepted),
    ]);
    isDeleteAudited = audited === true;
    reportDoubles(drain, facts, verdicts, doubles);
  } catch (error) {
    if (!isRedriverError(error) || isOfInput(error)) throw error;
    // The proof is in hand, so the delete goes on without Redis. The fact is written when Redis is back.
    unwritten.keep(facts);
  }
  if (!isDeleteAudited) {
    await recordFact(source, "published", toAuditRecords(accepted, doubles), ofDrain(drain));
  }
  reportPublished(drain, accepted);
  return { isDeleteAudited };
}

function reportPublished(drain: DrainRuntime, accepted: readonly Acceptance[]): void {
  const { source, config } = drain;
  if (accepted.length > 0) {
    const now = serviceNow(source);
    source.events.emit({
      type: "record:published",
      drain: config.name,
      source: source.config.id,
      records: accepted.map((one) => toEventRecord(one, now)),
    });
  }
  const begun = accepted.map(({ one }) => one);
  reportDeclaredDoubles(drain, begun);
}

/** Records that were published twice: the ledger has the id of another message. Adds them to `doubles`. */
function reportDoubles(
  { source, config }: DrainRuntime,
  facts: readonly PublishedFact[],
  verdicts: readonly PublishedVerdict[],
  doubles: Set<DlqId>,
): void {
  const of = { drain: config.name, source: source.config.id };
  for (const [index, { dlqId, as: second }] of facts.entries()) {
    const verdict = verdicts[index];
    // A tombstone has the id of another publish of the same record as well.
    const first = verdict?.kind === "already" || verdict?.kind === "gone" ? verdict.as : undefined;
    if (first === undefined || first === second) continue;
    doubles.add(dlqId);
    source.events.emit({ type: "double:found", ...of, dlqId, first, second });
  }
}

function toEventRecord(acceptance: Acceptance, now: number): EventOf<"record:published">["records"][number] {
  const { one, as: messageId, deduplicated } = acceptance;
  const { letter, lineage } = one.candidate;
  const canary = lineage.step?.isCanary === true && isOfNow(acceptance);
  const waitedMs = Math.max(0, now - letter.enteredAt);
  return { dlqId: letter.dlqId, messageId, deduplicated, attempt: lineage.attempt, canary, waitedMs };
}

function toFact({ one: { candidate }, as }: Acceptance, drain: DrainName): PublishedFact {
  const { letter, lineage } = candidate;
  const { dlqId, messageId } = letter;
  const { attempt } = lineage;
  return letterDatesAgree(letter)
    ? { dlqId, as, attempt, deletePending: true, datesAgree: true, drain, messageId }
    : { dlqId, as, attempt, deletePending: true, drain, messageId };
}

function reportToLanes({ config, source }: DrainRuntime, accepted: readonly Acceptance[]): Promise<void> {
  const steps = canariesByStep(accepted.filter(isOfNow).map(({ one }) => one.candidate));
  const sent = steps.map(({ lane, step, canaries }) => {
    const roots = canaries.map(({ lineage }) => toRootHash(lineage.rootId));
    return { lane, step, roots };
  });
  return source.lanes.sent(sent, config.lane?.watchMs ?? 0);
}

/** Counts each series that may double an earlier one, with its first POST that may have been accepted. */
export function reportDeclaredDoubles({ source, config }: DrainRuntime, begun: readonly Begun[]): void {
  const of = { drain: config.name, source: source.config.id };
  for (const { candidate, series, declaredDouble: why } of begun) {
    if (why === false || series.posts - series.refusals !== 1) continue;
    source.events.emit({ type: "double:declared", ...of, dlqId: candidate.letter.dlqId, why });
  }
}

function toAuditRecords(
  accepted: readonly Acceptance[],
  doubles: ReadonlySet<DlqId>,
): readonly AuditRecord[] {
  return accepted.map((one) => toAuditRecord(one, doubles));
}

function toAuditRecord(
  { one: { candidate, declaredDouble }, as, deduplicated }: Acceptance,
  doubles: ReadonlySet<DlqId>,
): AuditRecord {
  const { letter, lineage, decision, reading } = candidate;
  const { dlqId } = letter;
  const { rule } = decision;
  const { attempt } = lineage;
  const host = targetHostOf(candidate);
  const record: AuditRecord =
    reading.kind === "come-back"
      ? { dlqId, as, rule, attempt, host, parent: reading.lineage.parentDlqId }
      : { dlqId, as, rule, attempt, host };
  const notes: string[] = [];
  if (deduplicated) notes.push("deduplicated");
  if (declaredDouble !== false) notes.push(declaredDouble);
  if (doubles.has(dlqId)) notes.push("double-found");
  return notes.length === 0 ? record : { ...record, notes };
}
