import type { Teardown } from "../../compose/teardown.ts";
import type { Io } from "../io.ts";

/** Ctrl-C once: finish the page and stop. Twice: end calls too, still safe, because what is in doubt is in the ledger. */
export interface Stop {
  readonly stopping: AbortSignal;
  readonly signal: AbortSignal;
}

export function createStop(io: Io, teardown: Teardown): Stop {
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
