import type { AuditRecord } from "../../ports/audit.ts";
import type { Begun, FoundRecord } from "./records.ts";

/** The audit record of a message about to be published: its losses, a possible double, and whether it is a canary. */
export function toAuditRecord({ candidate, declaredDouble }: Begun): AuditRecord {
  const { letter, decision, lineage, losses } = candidate;
  const notes = [
    ...losses,
    ...(declaredDouble === false ? [] : [declaredDouble]),
    ...(lineage.step?.isCanary === true ? ["canary"] : []),
  ];
  return {
    dlqId: letter.dlqId,
    rule: decision.rule,
    reason: decision.reason,
    attempt: lineage.attempt,
    ...parentOf(candidate),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** The dead letter that this one came back from, where its own lineage proves it. */
export function parentOf({ reading }: Pick<FoundRecord, "reading">): Pick<AuditRecord, "parent"> {
  return reading.kind === "come-back" ? { parent: reading.lineage.parentDlqId } : {};
}
