import { comeBackKindOf, isKnownBad } from "../message/come-back-kind.ts";
import type { Lineage } from "../message/lineage.ts";
import type { EventOf } from "../contracts/events.ts";
import type { LaneComeBack } from "../contracts/lanes.ts";
import type { Letter } from "../page/letter.ts";

/** The come-back that a record shows: a message of a lane's step has failed again. None without a step. */
export function toLaneComeBack({
  reading,
  enteredAt,
  createdAt,
  responseStatus = 0,
}: Pick<Letter, "reading" | "enteredAt" | "createdAt" | "responseStatus">): LaneComeBack[] {
  if (reading.kind !== "come-back") return [];
  const tookMs = createdAt === undefined ? undefined : enteredAt - createdAt;
  const isTime = tookMs !== undefined && tookMs > 0;
  return comeBackOf(reading.lineage, responseStatus).map((one) => (isTime ? { ...one, tookMs } : one));
}

/** The same from a message's lineage and the status of its failure; 0: no answer. */
export function comeBackOf(lineage: Lineage, status: number): LaneComeBack[] {
  const { step, statusBefore, parentDlqId } = lineage;
  // Of an open lane only canaries are judged: others come back after all retries, hours after their step.
  if (step === null || !step.isCanary) return [];
  const isAgain = isKnownBad(lineage) && status === statusBefore;
  const kind = isAgain ? "again" : comeBackKindOf(status);
  return [{ lane: step.lane, step: step.step, parentDlqId, kind, status }];
}

export function toComeBackFields({
  dlqId,
  reading,
}: Pick<Letter, "dlqId" | "reading">): EventOf<"record:come-back">["records"][number][] {
  if (reading.kind !== "come-back") return [];
  const { parentDlqId, attempt, step } = reading.lineage;
  return [{ dlqId, parentDlqId, attempt, canary: step?.isCanary === true }];
}
