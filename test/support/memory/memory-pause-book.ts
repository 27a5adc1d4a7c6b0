import type { PauseBook, PauseRecord } from "../../../src/job/contracts/pauses.ts";
import type { DrainName } from "../../../src/job/contracts/ids.ts";

/** Pauses in this process; `isPaused` is what a memory ledger asks. */
export function createMemoryPauseBook(): PauseBook & { isPaused(drain: DrainName): boolean } {
  const records = new Map<DrainName | "*", PauseRecord>();
  return {
    pause: (record) => {
      records.set(record.drain, record);
      return Promise.resolve(record);
    },
    resume: ({ drain }) => Promise.resolve(records.delete(drain)),
    all: () => Promise.resolve([...records.values()].toSorted((a, b) => a.at - b.at)),
    isPaused: (drain) => records.has("*") || records.has(drain),
  };
}
