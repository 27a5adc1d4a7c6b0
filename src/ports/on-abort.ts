import { setMaxListeners } from "node:events";

/**
 * Calls `listener` once if the signal aborts. Answers how to leave it. A page's calls share one signal and
 * each leaves it, so their number is no leak, and Node must not warn of one.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => undefined;
  setMaxListeners(0, signal);
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
