import { readLineage } from "../../message/lineage.ts";
import type { AttemptReport, CallbackOutcome } from "../../ports/callbacks.ts";
import { comeBackOf } from "../lanes/come-backs.ts";
import type { SourceRuntime } from "../runtime.ts";

/**
 * Tells the lanes what became of a canary. It names its step by the lineage that it was sent with, over the body that it was sent with, so
 * that not even the service can make one up. Told twice counts once.
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
