const listenersOf = new WeakMap<AbortSignal, ReturnType<typeof listenTo>>();

/**
 * Calls `listener` once if the signal aborts, and answers how to leave it. All calls of a window share one
 * listener of their signal, which goes with the last: a signal with a listener is kept alive.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined || signal.aborted) return () => undefined;
  const { all, onSignal } = listenersOf.get(signal) ?? listenTo(signal);
  // The same function may be added twice.
  const one = (): void => listener();
  all.add(one);
  return () => {
    if (!all.delete(one) || all.size > 0) return;
    signal.removeEventListener("abort", onSignal);
    listenersOf.delete(signal);
  };
}

function listenTo(signal: AbortSignal) {
  const all = new Set<() => void>();
  const onSignal = (): void => {
    for (const one of all) one();
  };
  const listeners = { all, onSignal };
  signal.addEventListener("abort", onSignal, { once: true });
  listenersOf.set(signal, listeners);
  return listeners;
}
