import { unlessRedisAway } from "../contracts/errors.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { FailureTally } from "./count-failures.ts";

/**
 * Counts what a sweep or a person's order did, so that status and metrics show it before the next full pass.
 * Best effort: without Redis the full pass counts it.
 */
export async function countActs(
  { source, config, shared }: Pick<DrainRuntime, "source" | "config" | "shared">,
  failures: FailureTally,
): Promise<void> {
  await unlessRedisAway(async () => {
    const counts = await source.recordFailures(config.name, failures);
    await shared?.write();
    const isAct = Object.values(counts).some(
      ({ published, dropped, parked, failedAgain }) => published ?? dropped ?? parked ?? failedAgain,
    );
    if (!isAct) return;
    await source.passes.countActs(config.name, source.identities.token(), counts, source.config.retentionMs);
  }, undefined);
}
