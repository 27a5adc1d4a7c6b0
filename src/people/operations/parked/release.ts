import { defined } from "../../../job/message/defined.ts";
import { readHostsOfKinds } from "../../read/hosts-of-kinds.ts";
import { groupBy } from "../../../group-items-by-key.ts";
import { type DrainRuntime, type SourceRuntime, recordIntent } from "../../../job/door.ts";
import type { DrainName } from "../../../job/contracts/ids.ts";
import type { ParkedLetter, ParkedRecord } from "./find-parked.ts";

const entriesPerCall = 100;

/** `letter`: what the queue shows of it, if it was listed. */
export interface ToRelease extends ParkedRecord {
  readonly letter?: ParkedLetter | null | undefined;
}

/**
 * Releases parked records by a person's order: each may be tried once more, whatever parked it. Writes the
 * audit first, then the ledger, a hundred at a time. The audit has the host of its kind of failure if the
 * record was not listed. Then it makes the next passes of drains that list them full.
 * Answers how many were released; records no longer parked do not count. Throws `redis-unavailable`; earlier
 * releases stay.
 */
export async function releaseParked(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  entries: readonly ToRelease[],
  why: string,
): Promise<number> {
  if (entries.length === 0) return 0;
  const hosts = await readHostsOfKinds(source);
  let released = 0;
  for (const [drain, group] of groupBy(entries, ({ view }) => view.drain)) {
    for (let start = 0; start < group.length; start += entriesPerCall) {
      const some = group.slice(start, start + entriesPerCall);
      const records = some.map(({ dlqId, view: { reason, attempt, failure = "" }, letter }) => ({
        dlqId,
        reason,
        attempt,
        ...defined({ host: letter?.host ?? hosts.get(failure) }),
      }));
      await recordIntent(source, "release", records, { drain, why });
      released += (await source.ledger.release(some.map(({ dlqId }) => dlqId))).count;
    }
    await makeNextPassFull(source, drains, drain);
  }
  return released;
}

/** Makes the drain's next pass full, or that of all drains of the source if the document lacks the drain. */
async function makeNextPassFull(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  drain: DrainName,
): Promise<void> {
  const names = drains.has(drain)
    ? [drain, ...(drains.get(drain)?.shared?.names ?? [])]
    : [...drains.values()]
        .filter(({ config }) => config.source.id === source.config.id)
        .map(({ config }) => config.name);
  for (const name of names) await source.passes.forceFull(name);
}
