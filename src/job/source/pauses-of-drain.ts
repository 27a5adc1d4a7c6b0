import type { Clock } from "../contracts/clock.ts";
import type { DrainName } from "../contracts/ids.ts";
import { bindingPausesOf, pauseOf, type PauseBook, type PauseRecord } from "../contracts/pauses.ts";

/** What was read is used for so long. The ledger's begin asks anew. */
const knownForMs = 1_000;

/** The pauses that bind a drain, and parts of it. Throws `redis-unavailable`. */
export function createPausesOfDrain(book: Pick<PauseBook, "all">, clock: Pick<Clock, "monotonic">) {
  let known: { readonly at: number; readonly pauses: Promise<readonly PauseRecord[]> } | null = null;
  const read = (maxAgeMs: number): Promise<readonly PauseRecord[]> => {
    const at = clock.monotonic();
    if (known !== null && at - known.at < maxAgeMs) return known.pauses;
    const reading = { at, pauses: book.all() };
    known = reading;
    // A failure is not remembered.
    reading.pauses.catch(() => {
      if (known === reading) known = null;
    });
    return reading.pauses;
  };
  return async (drain: DrainName): Promise<readonly PauseRecord[]> => {
    const pauses = await read(knownForMs);
    // The pass that a resume begins finds it over, and not what was true just before.
    return bindingPausesOf(pauseOf(pauses, drain) === undefined ? pauses : await read(0), drain);
  };
}
