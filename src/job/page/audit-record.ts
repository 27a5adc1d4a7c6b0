import { hostOf } from "../message/destination-url.ts";
import type { AuditRecord } from "../contracts/audit.ts";
import type { Begun, Letter } from "./letter.ts";

/** The audit record of a decision about to be carried out. `host`: of the destination that it concerns. */
export function toAuditRecord(
  { dlqId, decision, reading }: Pick<Letter, "dlqId" | "decision" | "reading">,
  attempt: number,
  host: string,
): AuditRecord {
  const { rule, reason } = decision;
  if (reading.kind !== "come-back") return { dlqId, rule, reason, attempt, host };
  return { dlqId, rule, reason, attempt, host, parent: reading.lineage.parentDlqId };
}

/** The audit record of a message about to be published, with its losses, and whether it may be a double. */
export function toPublishRecord(letter: Letter, declaredDouble: Begun["declaredDouble"]): AuditRecord {
  const { lineage, due } = letter;
  const record = toAuditRecord(letter, lineage.attempt, due.host);
  const notes: string[] = [...due.losses];
  if (declaredDouble !== false) notes.push(declaredDouble);
  if (lineage.step?.isCanary === true) notes.push("canary");
  return notes.length === 0 ? record : { ...record, notes };
}

/** The audit record of a letter about to be dropped. */
export function toDropRecord(letter: Letter): AuditRecord {
  const { decision } = letter;
  const record = toAuditRecord(letter, letter.attempt, hostOf(letter.content.url));
  if (decision.then !== "drop" || decision.by === undefined) return record;
  return { ...record, notes: [`superseded-by:${decision.by}`] };
}

/** The dead letter that this one came back from, if its own lineage proves it. */
export function parentOf({ reading }: Pick<Letter, "reading">): Pick<AuditRecord, "parent"> {
  return reading.kind === "come-back" ? { parent: reading.lineage.parentDlqId } : {};
}
