/**
 * Passes Node's warnings to the listener, instead of plain text on stderr, until the answered function is
 * called. Warnings from loading come too early for it.
 */
export function takeWarnings(listener: (warning: Error) => void): () => void {
  const before = process.listeners("warning");
  process.removeAllListeners("warning");
  process.on("warning", listener);
  return () => {
    process.off("warning", listener);
    for (const one of before) process.on("warning", one);
  };
}
