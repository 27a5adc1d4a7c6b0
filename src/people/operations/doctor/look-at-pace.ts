import type { BuiltSource } from "../../../job/compose/build-source.ts";
import type { SourceConfig } from "../../../job/contracts/drains-document.ts";
import { ok, warning, type DoctorFinding } from "./finding.ts";

/** Whether the account delivers as fast as its drains published lately, by how long deliveries were seen to take. */
export async function lookAtPace(
  { id, name }: SourceConfig,
  maxParallelism: number,
  { runtime }: BuiltSource,
): Promise<DoctorFinding> {
  const subject = `source ${name}`;
  const seen = await runtime.capacity.deliveryTime(id);
  if (seen === null) return ok(subject, `maxParallelism is ${maxParallelism}; no delivery was seen yet`);
  const perSecond = (maxParallelism * 1_000) / seen.tookMs;
  const pace = `${maxParallelism} at once, ${Math.round(seen.tookMs)} ms each: ${perSecond.toFixed(1)}/s`;
  if (seen.grantedPerSecond <= perSecond) return ok(subject, `its deliveries keep up (${pace})`);
  return warning(
    subject,
    `${seen.grantedPerSecond.toFixed(1)}/s were published lately, and it delivers ${pace}; lower limits.publish, or take a plan with more parallelism`,
  );
}
