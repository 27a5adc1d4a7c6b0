import { mapEach } from "../../group-items-by-key.ts";
import type { DrainName } from "../../job/contracts/ids.ts";
import type { QueueFacts } from "../../job/contracts/queue-facts.ts";
import type { Core } from "../../job/door.ts";
import { type FailureView, toFailureViews } from "./failure-views.ts";
import { readQueueFacts } from "./queue-facts.ts";
import { hostOf, parseUrl } from "../../job/message/destination-url.ts";
import type { FailureBook } from "../../job/contracts/failures.ts";

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
  const marks = await mapEach(sources, ({ failureMarks }) => failureMarks.all());
  return toFailureViews({ facts, marksOf: (source) => marks.get(source) ?? new Map(), drain, now });
}

/** Hosts of recorded kinds, by their ids. A kind of a queue, or of several destinations, has none. */
export async function readHostsOfKinds({
  failures,
}: Readonly<{ failures: Pick<FailureBook, "all"> }>): Promise<ReadonlyMap<string, string>> {
  const kinds = await failures.all();
  const known = kinds.filter(({ origin }) => /^https?:/.test(origin) && parseUrl(origin) !== null);
  return new Map(known.map(({ id, origin }) => [id, hostOf(origin)]));
}
