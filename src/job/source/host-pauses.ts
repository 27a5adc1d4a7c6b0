import type { Clock } from "../contracts/clock.ts";
import type { DrainName } from "../contracts/ids.ts";
import { hostPausesOf, type HostPause, type PauseBook, type PauseRecord } from "../contracts/pauses.ts";

/** What was read is used for so long. The ledger's begin asks anew. */
const knownForMs = 1_000;

/** The pauses of single destinations that bind a drain. Throws `redis-unavailable`. */
export function createHostPauses(book: Pick<PauseBook, "all">, clock: Pick<Clock, "monotonic">) {
  let known: { readonly at: number; readonly pauses: Promise<readonly PauseRecord[]> } | null = null;
  return async (drain: DrainName): Promise<readonly HostPause[]> => {
    const at = clock.monotonic();
    if (known === null || at - known.at >= knownForMs) {
      const reading = { at, pauses: book.all() };
      known = reading;
      // A failure is not remembered.
      reading.pauses.catch(() => {
        if (known === reading) known = null;
      });
    }
    return hostPausesOf(await known.pauses, drain);
  };
}
