import { comeBackKindOf } from "../../message/come-back-kind.ts";
import type { LaneComeBack } from "../../ports/lanes.ts";
import type { FoundRecord } from "../stages/records.ts";

/** What a record says of a lane's step: that a message of it is dead again. None where it was no part of one. */
export function toLaneComeBack({ letter, reading }: Pick<FoundRecord, "letter" | "reading">): LaneComeBack[] {
  if (reading.kind !== "come-back" || reading.lineage.step === null) return [];
  const { step, statusBefore, parentDlqId } = reading.lineage;
  const status = letter.responseStatus ?? 0;
  // Of an open lane only canaries are judged: the others come back after all their retries, hours after their step.
  if (!step.isCanary) return [];
  return [
    {
      lane: step.lane,
      step: step.step,
      parentDlqId,
      kind: comeBackKindOf(status),
      status,
      statusBefore: statusBefore ?? 0,
    },
  ];
}
