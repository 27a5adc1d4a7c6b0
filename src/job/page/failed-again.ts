import { comeBackKindOf } from "../message/come-back-kind.ts";
import { hostOf } from "../message/destination-url.ts";
import { unlessRedisAway } from "../contracts/errors.ts";
import { isAutoRate } from "../contracts/auto-rate.ts";
import type { FailedAgain } from "../contracts/capacity.ts";
import type { DrainName } from "../contracts/ids.ts";
import type { LaneComeBack, LaneWatch } from "../contracts/lanes.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import type { Letter } from "./letter.ts";

/** What a come-back says about its host's rate: it failed as in an outage. A refused message is bad at any rate. */
export function toFailedAgain({
  content,
  reading,
}: Pick<Letter, "content" | "reading">): readonly FailedAgain[] {
  if (reading.kind !== "come-back" || comeBackKindOf(content.responseStatus) !== "down") return [];
  const { step, parentDlqId } = reading.lineage;
  if (step?.isProbe === true) return [];
  const host = content.queueName === undefined ? hostOf(content.url) : `queue:${content.queueName}`;
  return [{ host, parentDlqId, isCanary: step?.isCanary === true }];
}

async function record(
  { config, capacity }: Pick<SourceRuntime, "config" | "capacity">,
  drain: DrainName,
  failures: readonly FailedAgain[],
): Promise<void> {
  if (failures.length === 0) return;
  await unlessRedisAway(() => capacity.failedAgain({ source: config.id, drain }, failures), undefined);
}

/** Reports new come-backs to the rates of their hosts, if the drain learns rates. Lost without Redis. */
export async function slowDownHosts(
  { config, source }: Pick<DrainRuntime, "config" | "source">,
  failures: readonly FailedAgain[],
): Promise<void> {
  const { perHost } = config.limits;
  if (perHost !== undefined && isAutoRate(perHost)) await record(source, config.name, failures);
}

/** The same for the come-backs of a watched step that a listing check found. */
export async function slowDownForWatch(
  source: Pick<SourceRuntime, "config" | "capacity">,
  { drain, origin, state }: Pick<LaneWatch, "drain" | "origin" | "state">,
  comeBacks: readonly LaneComeBack[],
): Promise<void> {
  if (state === "halted") return;
  const host = origin.startsWith("queue:") ? origin : hostOf(origin);
  const failures = comeBacks.flatMap(({ kind, parentDlqId }) =>
    kind === "down" ? [{ host, parentDlqId, isCanary: true }] : [],
  );
  await record(source, drain, failures);
}
