import { takeCensus, type CensusOrder } from "../../src/job/census/count-and-copy-expiring.ts";
import type { DrainName } from "../../src/job/contracts/ids.ts";
import { runPassInProcess } from "../../src/job/pass/drain-in-process.ts";
import { readStatus } from "../../src/people/operations/status/read.ts";
import { createRig, type RigOptions } from "./rig.ts";

export type ReadRig = Awaited<ReturnType<typeof createReadRig>>;

/** What people read of a rig of several drains. */
export async function createReadRig(options: RigOptions) {
  const rig = await createRig(options);
  const { core, drain } = rig;
  const never = new AbortController().signal;
  const signals = { signal: never, stopping: never };
  const { drains, hash } = core.document;
  return {
    ...rig,
    passOf: (name: string) =>
      runPassInProcess(core.drains.get(name as DrainName)!, core.settings.passes, signals, () => undefined),
    census: (more: Partial<CensusOrder> = {}) =>
      takeCensus({ source: drain.source, drains, documentHash: hash, archive: null, ...more }, signals),
    /** With one replica that works. */
    async status(now = Date.now()) {
      const status = await readStatus(core, { nextRuns: new Map(), problems: 0, now });
      return {
        ...status,
        replicas: [{ sameDocument: true, rejected: null, resting: [] }] as unknown as typeof status.replicas,
      };
    },
  };
}
