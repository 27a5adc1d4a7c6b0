import type { Teardown } from "../../../teardown.ts";
import type { Io } from "../io.ts";

/** Ctrl-C once: finish the page and stop. Twice: end calls too. The ledger has what is in doubt then. */
export function createStop(io: Io, teardown: Teardown) {
  const stopping = new AbortController();
  const now = new AbortController();
  const forget = io.onSignal(() => {
    if (stopping.signal.aborted) {
      now.abort();
      return;
    }
    io.err("stopping after this page; once more to stop now\n");
    stopping.abort();
  });
  teardown.add("signals", forget);
  return { stopping: stopping.signal, signal: now.signal };
}

export type Stop = ReturnType<typeof createStop>;
