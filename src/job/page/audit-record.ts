import { hostOf } from "../message/destination-url.ts";
import type { AuditRecord } from "../contracts/audit.ts";
import type { Actionable, Begun, Candidate, FoundRecord } from "./records.ts";

/** The audit record of a decision about to be carried out. `host`: of the destination that it concerns. */
export function toAuditRecord(
  record: Pick<Actionable, "letter" | "decision" | "reading">,
  attempt: number,
  host: string,
): AuditRecord {
  const { letter, decision, reading } = record;
  const { rule, reason } = decision;
  const { dlqId } = letter;
  if (reading.kind !== "come-back") return { dlqId, rule, reason, attempt, host };
  return { dlqId, rule, reason, attempt, host, parent: reading.lineage.parentDlqId };
}

/** Where its message goes, which a rule may have changed. */
export function targetHostOf({ target }: Pick<Candidate, "target">): string {
  return hostOf(target.destination);
}

/** The audit record of a message about to be published, with its losses, and whether it may be a double. */
export function toPublishRecord({
  candidate,
  declaredDouble,
}: Pick<Begun, "candidate" | "declaredDouble">): AuditRecord {
  const { lineage, losses } = candidate;
  const record = toAuditRecord(candidate, lineage.attempt, targetHostOf(candidate));
  const notes: string[] = [...losses];
  if (declaredDouble !== false) notes.push(declaredDouble);
  if (lineage.step?.isCanary === true) notes.push("canary");
  return notes.length === 0 ? record : { ...record, notes };
}

/** The dead letter that this one came back from, if its own lineage proves it. */
export function parentOf({ reading }: Pick<FoundRecord, "reading">): Pick<AuditRecord, "parent"> {
  return reading.kind === "come-back" ? { parent: reading.lineage.parentDlqId } : {};
}
