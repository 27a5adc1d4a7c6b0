import { unlessRedisAway } from "../contracts/errors.ts";
import type { DrainRuntime } from "../runtime.ts";
import type { Page } from "../page/letter.ts";
import type { PageOutcome } from "../page/page-report.ts";
import { workPage, type PageWork } from "../page/work-page.ts";
import { FailureTally } from "./count-failures.ts";

/** Counts what a sweep or a person's order did. Without Redis the next full pass counts it. */
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

/** Works a page, and counts what it does with each batch: turns of a rate may be far apart. */
export async function workCounted(
  drain: DrainRuntime,
  page: Page,
  signal: AbortSignal,
  work: Pick<PageWork, "accepts" | "stopping"> = {},
): Promise<PageOutcome> {
  const failures = new FailureTally();
  // What the archive alone has is in no count of the queue.
  const onTurn = async (): Promise<void> => {
    if (drain.fromArchive === undefined) await countActs(drain, failures.take());
  };
  try {
    return await workPage(drain, page, signal, { ...work, failures, onTurn });
  } finally {
    await onTurn();
  }
}
