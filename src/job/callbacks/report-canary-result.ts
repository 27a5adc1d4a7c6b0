import { serviceNow } from "../contracts/service.ts";
import { readLineage } from "../message/lineage.ts";
import type { AttemptReport, CallbackOutcome } from "../contracts/callbacks.ts";
import { comeBackOf } from "../lanes/come-back-from-record.ts";
import { unlessRedisAway } from "../contracts/errors.ts";
import { undeliveredLimitOf } from "../page/gates/capacity.ts";
import type { SourceRuntime } from "../runtime.ts";

/** Its step comes from the signed lineage over its body, so not even the service can invent one. It counts once. */
export async function reportCanaryResult(
  source: SourceRuntime,
  report: AttemptReport,
): Promise<Extract<CallbackOutcome, "delivered" | "failed" | "retrying" | "unknown">> {
  const { lanes, lineageKeys } = source;
  const { sent, status, retried, maxRetries } = report;
  const reading = readLineage(sent, lineageKeys());
  if (reading.kind !== "come-back" || reading.lineage.step?.isCanary !== true) return "unknown";
  const { step, parentDlqId } = reading.lineage;
  if (status >= 200 && status <= 299) {
    await lanes.delivered(step, parentDlqId);
    await learnTime(source, report);
    return "delivered";
  }
  if (retried < maxRetries) return "retrying";
  await lanes.recordComeBacks(comeBackOf(reading.lineage, status));
  return "failed";
}

/** The service's Date has whole seconds, and clocks differ: no delivery is taken to be faster. */
const leastMs = 100;

/** How long the service takes to deliver, its wait included: what may wait undelivered depends on it. */
async function learnTime(source: SourceRuntime, { createdAt }: AttemptReport): Promise<void> {
  const limit = undeliveredLimitOf(source);
  if (limit === undefined || createdAt === undefined) return;
  const tookMs = Math.max(leastMs, source.clock.now() - createdAt, serviceNow(source) - createdAt);
  await unlessRedisAway(() => source.capacity.learn(source.config.id, limit, { tookMs }), undefined);
}
