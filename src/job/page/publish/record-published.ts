import { serviceNow } from "../../contracts/service.ts";
import type { DlqId } from "../../message/dead-letter.ts";
import type { AuditRecord, NewAuditEntry } from "../../contracts/audit.ts";
import { isRedriverError } from "../../contracts/errors.ts";
import type { EventOf } from "../../contracts/events.ts";
import type { DrainName } from "../../contracts/ids.ts";
import type { PublishedFact, PublishedVerdict } from "../../contracts/ledger.ts";
import { byHalves, isOfInput } from "../../by-halves.ts";
import { canariesByStep } from "../../lanes/choose-canaries.ts";
import { toRootHash } from "../../message/short-id.ts";
import { signLineage } from "../../message/lineage.ts";
import { letterDatesAgree } from "../../message/plausible-dates.ts";
import { recordFact, ofDrain, toEntry } from "../../write-audit.ts";
import type { DrainRuntime } from "../../runtime.ts";
import { reportUnworkable } from "../put-aside.ts";
import { isByService, needsNoDelete, type Begun, type Letter, type Proof } from "../letter.ts";
import type { PublishContext } from "./publish-context.ts";

/** False for a hit on the first POST of its series: it was published earlier, and that was forgotten. */
export function isOfNow({ begun, deduplicated }: Proof): boolean {
  return !deduplicated || begun.series.posts > 1;
}

/**
 * Records and reports the facts of an answer, and in the same step the deletes that follow in the audit: answers
 * whether it did. Without Redis the facts wait in memory. One that the ledger never takes is left out: the proof is
 * in hand, so its delete goes on, and the entry ends as vanished.
 */
export async function recordPublished({ drain }: PublishContext, accepted: readonly Proof[]) {
  const areAudited = await byHalves(
    accepted,
    (some) => writePublished(drain, some),
    async (one, error) => {
      reportUnworkable(drain, one.begun.letter.dlqId, error);
      reportPublished(drain, [one]);
      return false;
    },
  );
  return { isDeleteAudited: areAudited.every(Boolean) };
}

async function writePublished(drain: DrainRuntime, accepted: readonly Proof[]): Promise<boolean> {
  const { source, config } = drain;
  const { unwritten } = source;
  const facts: PublishedFact[] = [];
  const deletes: AuditRecord[] = [];
  for (const one of accepted) {
    const fact = toFact(one, config.name);
    facts.push(fact);
    if (fact.deletePending) deletes.push({ dlqId: fact.dlqId });
  }
  const doubles = new Set<DlqId>();
  const entryOf = (act: "published" | "delete", records: readonly AuditRecord[]): NewAuditEntry =>
    toEntry(source, act, records, ofDrain(drain));
  const entries = [entryOf("published", toPublishedRecords(accepted, doubles))];
  if (deletes.length > 0) entries.push(entryOf("delete", deletes));
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
    await recordFact(source, "published", toPublishedRecords(accepted, doubles), ofDrain(drain));
  }
  reportPublished(drain, accepted);
  return isDeleteAudited;
}

function reportPublished(drain: DrainRuntime, accepted: readonly Proof[]): void {
  const { source, config } = drain;
  const now = serviceNow(source);
  const records: EventOf<"record:published">["records"][number][] = [];
  const begun: Begun[] = [];
  for (const one of accepted) {
    records.push(toEventRecord(one, now));
    begun.push(one.begun);
  }
  if (records.length > 0) {
    source.events.emit({ type: "record:published", drain: config.name, source: source.config.id, records });
  }
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
  for (let index = 0; index < facts.length; index += 1) {
    const { dlqId, as: second } = facts[index]!;
    const verdict = verdicts[index];
    // A tombstone has the id of another publish of the same record as well.
    if (second === null) continue;
    const first = verdict?.kind === "already" || verdict?.kind === "gone" ? verdict.as : undefined;
    if (first === undefined || first === second) continue;
    doubles.add(dlqId);
    source.events.emit({ type: "double:found", ...of, dlqId, first, second });
  }
}

function toEventRecord(proof: Proof, now: number): EventOf<"record:published">["records"][number] {
  const { begun, as: messageId, deduplicated, lineage } = proof;
  const { letter } = begun;
  const canary = lineage.step?.isCanary === true && isOfNow(proof);
  const waitedMs = Math.max(0, now - letter.enteredAt);
  return { dlqId: letter.dlqId, messageId, deduplicated, attempt: lineage.attempt, canary, waitedMs };
}

function toFact({ begun: { letter }, as, lineage }: Proof, drain: DrainName): PublishedFact {
  const { dlqId, messageId } = letter;
  const deletePending = !needsNoDelete(letter);
  const { attempt } = lineage;
  // Not spread: there are a hundred of them in a page.
  if (deletePending && letterDatesAgree(letter)) {
    return { dlqId, as, attempt, deletePending, drain, messageId, datesAgree: true };
  }
  const fact = { dlqId, as, attempt, deletePending, drain, messageId };
  if (deletePending || !isByService(letter)) return fact;
  return { ...fact, lineage: signLineage(lineage, "", letter.due.lineageKey) };
}

function reportToLanes({ config, source }: DrainRuntime, accepted: readonly Proof[]): Promise<void> {
  const canaries: Letter[] = [];
  for (const one of accepted) {
    const { letter } = one.begun;
    if (letter.sendAs !== null && isOfNow(one)) canaries.push(letter);
  }
  const sent = canariesByStep(canaries).map(({ lane, step, canaries }) => {
    const roots = canaries.map(({ lineage }) => toRootHash(lineage.rootId));
    return { lane, step, roots };
  });
  return source.lanes.sent(sent, config.lane?.watchMs ?? 0);
}

/** Counts each series that may double an earlier one, with its first POST that may have been accepted. */
export function reportDeclaredDoubles({ source, config }: DrainRuntime, begun: readonly Begun[]): void {
  const of = { drain: config.name, source: source.config.id };
  for (const { letter, series, declaredDouble: why } of begun) {
    if (why === false || series.posts - series.refusals !== 1) continue;
    source.events.emit({ type: "double:declared", ...of, dlqId: letter.dlqId, why });
  }
}

function toPublishedRecords(accepted: readonly Proof[], doubles: ReadonlySet<DlqId>): readonly AuditRecord[] {
  const records: AuditRecord[] = [];
  for (const one of accepted) records.push(toPublishedRecord(one, doubles));
  return records;
}

function toPublishedRecord(
  { begun: { letter, declaredDouble }, as, deduplicated, lineage }: Proof,
  doubles: ReadonlySet<DlqId>,
): AuditRecord {
  const { dlqId, decision, reading } = letter;
  const { rule } = decision;
  const { attempt } = lineage;
  const { host } = letter.due;
  const record: AuditRecord =
    reading.kind === "come-back"
      ? { dlqId, as, rule, attempt, host, parent: reading.lineage.parentDlqId }
      : { dlqId, as, rule, attempt, host };
  if (!deduplicated && declaredDouble === false && doubles.size === 0) return record;
  const notes: string[] = [];
  if (deduplicated) notes.push("deduplicated");
  if (declaredDouble !== false) notes.push(declaredDouble);
  if (doubles.has(dlqId)) notes.push("double-found");
  return notes.length === 0 ? record : { ...record, notes };
}
