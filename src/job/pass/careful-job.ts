/**
 * The care of a pass for the records of a source's sweeps and census. Such a job is the only window of a pass under
 * a name that no drain can have. Its row is there to tell lost workers.
 */
import { RedriverError, unlessRedisAway } from "../contracts/errors.ts";
import type { DrainName, PassId } from "../contracts/ids.ts";
import { emptyTally } from "../contracts/tally.ts";
import type { SourceRuntime } from "../runtime.ts";
import { createCarefulWork, type Identified } from "./work-carefully.ts";

const ofNobody = { documentHash: "", countingKey: "", fullFrom: 0, fullEveryMs: 0 };
const nothing = { ...ofNobody, mayBeNew: false, overlapMs: 0, abandonAfterMs: 0 };

type JobName = "reconcile" | "settle" | "census";
export type CarefulJob = Awaited<ReturnType<typeof takeJob>>;

/** `hasStalled`: the lock of an earlier run has ended while it ran. Every job that was taken is ended. */
export async function takeJob(source: SourceRuntime, name: JobName, hasStalled: boolean) {
  const { passes, config, identities, clock } = source;
  const drain = `~${name}` as DrainName;
  const passId = name as string as PassId;
  const run = { passId, windowId: "w1", owner: identities.token() };
  // A Redis that is full takes none of this, and what a job does it takes.
  const taken = await unlessRedisAway(async () => {
    await passes.open({ ...nothing, passId, drain, source: config.id, mode: "live", to: clock.now() });
    return passes.takeWindow(drain, passId, run.windowId, run.owner, hasStalled);
  }, null);
  const known = new Set<unknown>(taken?.unworkable);
  const takenOver = new AbortController();
  const careful =
    taken === null || taken.care === null
      ? null
      : createCarefulWork({ source, drain }, run, taken.care, () => {
          takenOver.abort(new RedriverError("stopped", `another worker has taken ${name} over`));
        });

  return {
    endsListings: careful?.endsListings === true,
    /** What ends the listing itself is passed over (list-to-end.ts). */
    unlistable: taken?.unlistable ?? [],
    /** Works all together; after lost workers in parts, the suspects last. What ends workers goes to `aside`. */
    async each<One extends Identified>(
      ones: readonly One[],
      work: (some: readonly One[]) => Promise<void>,
      aside: (one: One) => Promise<void>,
    ): Promise<void> {
      const deadly = known.size === 0 ? [] : ones.filter(({ dlqId }) => known.has(dlqId));
      for (const one of deadly) await aside(one);
      const others = deadly.length === 0 ? ones : ones.filter(({ dlqId }) => !known.has(dlqId));
      if (others.length === 0 && deadly.length > 0) return;
      if (careful === null) return work(others);
      for (const areSuspects of [false, true]) {
        for (const part of careful.partsOf(others, areSuspects)) {
          const [one] = part;
          if (one !== undefined && careful.isUnworkable(one)) {
            await aside(one);
            await careful.setAside(one);
            known.add(one.dlqId);
            continue;
          }
          await careful.begin(part);
          takenOver.signal.throwIfAborted();
          await work(part);
          careful.ended(part);
        }
      }
      await careful.lists();
    },
    async end(): Promise<void> {
      careful?.close();
      const done = { kind: "done", split: [] } as const;
      await passes
        .endWindow(drain, passId, run.windowId, done, emptyTally, {}, run.owner)
        .catch(() => undefined);
    },
  };
}
