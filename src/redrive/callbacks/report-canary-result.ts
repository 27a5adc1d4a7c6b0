import { readLineage } from "../../message/lineage.ts";
import type { AttemptReport, CallbackOutcome } from "../../ports/callbacks.ts";
import { comeBackOf } from "../lanes/come-back-from-record.ts";
import type { SourceRuntime } from "../runtime.ts";

/**
 * Reports the result of a canary to its lane. Its step comes from the signed lineage over its body, so not
 * even the service can invent one. A repeated callback counts once.
 */
export async function receiveCallback(
  { lanes, lineageKeys }: Pick<SourceRuntime, "lanes" | "lineageKeys">,
  { sent, status, retried, maxRetries }: AttemptReport,
): Promise<Extract<CallbackOutcome, "delivered" | "failed" | "retrying" | "unknown">> {
  const reading = readLineage(sent, lineageKeys());
  if (reading.kind !== "come-back" || reading.lineage.step?.isCanary !== true) return "unknown";
  const { step, parentDlqId } = reading.lineage;
  if (status >= 200 && status <= 299) {
    await lanes.delivered(step, parentDlqId);
    return "delivered";
  }
  if (retried < maxRetries) return "retrying";
  await lanes.recordComeBacks(comeBackOf(reading.lineage, status));
  return "failed";
}
