/**
 * How the process of a daemon ends.
 *
 *   works ──signal──► closes ─┬─ everything is closed ─► ends with 0
 *                             ├─ another signal ───────► ended by it, at once
 *                             └─ hardMs ───────────────► killed: something hangs
 *
 * Everything in doubt at any of these moments is in the ledger as open. An exit waits for calls to the disk
 * and look-ups of names that are under way. A volume that is gone never answers (seen with Node 20), so such
 * a process can only be killed.
 */
import { constants } from "node:os";

export function endOnSignals(onSignal: OnSignal, hardMs: number) {
  const stop = new AbortController();
  const forget = onSignal((signal) => {
    if (stop.signal.aborted) return endBy(signal);
    stop.abort(signal);
    setTimeout(() => endBy("SIGKILL"), hardMs).unref();
  });
  return {
    /** Aborts at the first signal. The signal's name is the reason. */
    stop: stop.signal,
    /** Everything is closed, and no signal is listened to any longer. */
    closed(): void {
      forget();
      if (stop.signal.aborted) setTimeout(exit, lingerMs).unref();
    },
  };
}

/** Registers a listener for signals that ask to stop. Answers the function that removes it. */
type OnSignal = (listener: (signal: NodeJS.Signals) => void) => () => void;

/** Work that ends by itself has ended by then. Sockets without an answer and timers of libraries remain. */
const lingerMs = 250;
/** Calls that keep a thread of this process busy, by Node's names. */
const inThreads = new Set(["FSReqCallback", "FSReqPromise", "GetAddrInfoReqWrap", "GetNameInfoReqWrap"]);

function exit(): void {
  if (process.getActiveResourcesInfo().some((name) => inThreads.has(name))) return;
  process.exit();
}

function endBy(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The first process of a container is not ended by its own signals (pid_namespaces(7)).
  process.exit(128 + constants.signals[signal]);
}
