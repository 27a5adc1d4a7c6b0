import { createPageSize, isTooLarge, listWithRetry } from "../listing/list-page.ts";
import { defined } from "../message/defined.ts";
import type { DrainRuntime } from "../runtime.ts";

/** Enough answers to believe any clock that they agree on. */
const maxAskedForClock = 10;

/** In ms. Before the first answer a small listing asks for it. One far from ours is believed after several. */
export async function knownOffsetMs(
  { source }: DrainRuntime,
  signal: AbortSignal,
  againAfterMs?: readonly number[],
): Promise<number> {
  const { service } = source;
  for (let asked = 0; asked < maxAskedForClock && service.clockOffsetMs("agreed") === undefined; asked += 1) {
    try {
      const signals = { signal, stopping: signal, ...defined({ againAfterMs }) };
      (await listWithRetry(source, { select: {} }, createPageSize(1), signals)).release();
    } catch (error) {
      if (!isTooLarge(error)) throw error;
    }
    // This service dates no answers.
    if (service.clockOffsetMs() === undefined) return 0;
  }
  return service.clockOffsetMs() ?? 0;
}
