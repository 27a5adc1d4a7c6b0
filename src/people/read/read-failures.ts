import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import type { FailureMark } from "../../job/contracts/failures.ts";
import type { QueueFacts } from "../../job/contracts/queue-facts.ts";
import { toFailureViews, type FailureView } from "./failure-views.ts";
import type { Core } from "../../job/door.ts";
import { readQueueFacts } from "./queue-facts.ts";

/** Every kind of failure of the document's sources, by trouble. Throws `redis-unavailable`. */
export async function readFailureViews(
  core: Core,
  now: number,
  drain?: DrainName,
): Promise<readonly FailureView[]> {
  return viewFailures(core, await readQueueFacts(core), now, drain);
}

/** For facts that were read already: reads only what persons wrote down. */
export async function viewFailures(
  { sources }: Core,
  facts: QueueFacts,
  now: number,
  drain?: DrainName,
): Promise<readonly FailureView[]> {
  const marks = new Map(
    await Promise.all(
      [...sources].map(async ([id, { failureMarks }]) => [id, await failureMarks.all()] as const),
    ),
  );
  const marksOf = (source: SourceId): ReadonlyMap<string, FailureMark> => marks.get(source) ?? new Map();
  return toFailureViews({ facts, marksOf, now, ...(drain === undefined ? {} : { drain }) });
}
