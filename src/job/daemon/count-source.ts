import type { CoreLease } from "../compose/live-core.ts";
import { takeCensus } from "../census/count-and-copy-expiring.ts";
import { noteStrays } from "../census/unselected-come-backs.ts";
import type { DrainConfig } from "../contracts/drains-document.ts";
import { toFailure } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { SourceId } from "../contracts/ids.ts";
import type { JobContext } from "../contracts/work-queue.ts";
import type { SourceRuntime } from "../runtime.ts";

export interface CensusWork extends Pick<JobContext, "signal" | "hasStalled">, Pick<CoreLease, "core"> {
  readonly counting: Set<SourceId>;
  /** Sources with a census that waits for its next look. */
  readonly postponed: Set<SourceId>;
  /** Sources that have been counted before. */
  readonly counted: Set<SourceId>;
  readonly events: Events;
  readonly stopping: AbortSignal;
}

/** A tick that comes with the first census opens its pass within this. */
const passOpensWithinMs = 1_000;

/** Counts a source if it is usable, and is not being counted. Beside a pass it waits for its next look. */
export async function countSource(id: SourceId, work: CensusWork): Promise<void> {
  const { core, counting, postponed, events, signal, stopping, hasStalled } = work;
  const source = core.sources.get(id)?.runtime;
  if (source === undefined || source.health.current().state !== "usable" || counting.has(id)) return;
  counting.add(id);
  try {
    const { document, archive } = core;
    const drains = document.drains.filter((drain) => drain.source.id === id);
    if (!postponed.delete(id) && (await isBesidePass(source, drains, stopping))) {
      postponed.add(id);
      return;
    }
    await takeCensus(
      {
        source,
        drains,
        documentHash: document.hash,
        archive,
        onUnselected: (letters) => noteStrays(source, drains, letters),
      },
      { signal, stopping },
      hasStalled,
    );
  } catch (error) {
    // Stopped with the process: the next one counts.
    if (!stopping.aborted && !signal.aborted) {
      events.emit({ type: "census:failed", source: id, ...toFailure(error) });
    }
  } finally {
    counting.delete(id);
  }
}

/** A pass has ended. A first count that it was in the way of need not wait for its next look. */
export async function countIfNever({ config: { id }, book }: SourceRuntime, work: CensusWork): Promise<void> {
  if (work.counted.has(id)) return;
  // Without Redis the next look counts.
  const known = await book.census().catch(() => undefined);
  if (known === null) await countSource(id, work);
  else if (known !== undefined) work.counted.add(id);
}

/** A census beside a pass lists what the pass is about to delete. One that is overdue does not wait. */
async function isBesidePass(
  { book, clock, config, passes, readAt }: SourceRuntime,
  drains: readonly DrainConfig[],
  stopping: AbortSignal,
): Promise<boolean> {
  const known = await book.census();
  if (known === null) await clock.sleep(passOpensWithinMs, stopping);
  else if ((await readAt()) - known.at > 1.5 * config.censusEveryMs) return false;
  const facts = await Promise.all(drains.map(({ name }) => passes.facts(name)));
  return facts.some((one) => one !== null && one.openPass !== null);
}
