import type { ParkedDeadLetter } from "../../ports/ledger-entries.ts";
import { recordIntent } from "../record-act.ts";
import type { DrainRuntime, SourceRuntime } from "../runtime.ts";
import type { DrainName } from "../../ports/ids.ts";

const entriesPerCall = 100;

/**
 * A person's word: these may be tried once more, whatever parked them. The audit first, then the ledger, a hundred at a time; then the
 * next passes of their drains are made full ones, which look at them. Answers how many were released; what is no longer parked
 * is not. Throws `redis-unavailable`; what was released until then stays so.
 */
export async function releaseParked(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  entries: readonly ParkedDeadLetter[],
  why: string,
): Promise<number> {
  let released = 0;
  const byDrain = new Map<DrainName, ParkedDeadLetter[]>();
  for (const entry of entries) {
    const group = byDrain.get(entry.view.drain);
    if (group === undefined) byDrain.set(entry.view.drain, [entry]);
    else group.push(entry);
  }
  for (const [drain, group] of byDrain) {
    for (let start = 0; start < group.length; start += entriesPerCall) {
      const some = group.slice(start, start + entriesPerCall);
      const records = some.map(({ dlqId, view }) => ({ dlqId, reason: view.reason, attempt: view.attempt }));
      await recordIntent(source, "release", records, { drain, why });
      released += (await source.ledger.release(some.map(({ dlqId }) => dlqId))).count;
    }
    await makeNextPassFull(source, drains, drain);
  }
  return released;
}

/** Where their drain is no longer in the document, another one of the source may select them. */
async function makeNextPassFull(
  source: SourceRuntime,
  drains: ReadonlyMap<DrainName, DrainRuntime>,
  drain: DrainName,
): Promise<void> {
  const names = drains.has(drain)
    ? [drain]
    : [...drains.values()]
        .filter(({ config }) => config.source.id === source.config.id)
        .map(({ config }) => config.name);
  for (const name of names) await source.passes.forceFull(name);
}
