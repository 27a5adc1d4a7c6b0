import type { AuditRecord } from "../../ports/audit.ts";
import type { Begun, DecidedRecord, FoundRecord } from "./records.ts";

/** The audit record of a decision about to be carried out. */
export function toAuditRecord(record: DecidedRecord, attempt: number): AuditRecord {
  const { letter, decision } = record;
  return {
    dlqId: letter.dlqId,
    rule: decision.rule,
    reason: decision.reason,
    attempt,
    ...parentOf(record),
  };
}

/** The audit record of a message about to be published, with its losses, and whether it may be a double. */
export function toPublishRecord({ candidate, declaredDouble }: Begun): AuditRecord {
  const { lineage, losses } = candidate;
  const notes = [
    ...losses,
    ...(declaredDouble === false ? [] : [declaredDouble]),
    ...(lineage.step?.isCanary === true ? ["canary"] : []),
  ];
  return { ...toAuditRecord(candidate, lineage.attempt), ...(notes.length === 0 ? {} : { notes }) };
}

/** The dead letter that this one came back from, if its own lineage proves it. */
export function parentOf({ reading }: Pick<FoundRecord, "reading">): Pick<AuditRecord, "parent"> {
  return reading.kind === "come-back" ? { parent: reading.lineage.parentDlqId } : {};
}
