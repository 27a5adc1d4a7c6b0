/** Lines to a stream whose reader may stall: beyond a bound they are dropped and counted. */
import type { Writable } from "node:stream";

interface BoundedLinesParts {
  readonly stream: Writable;
  readonly maxWaiting: number;
  /** Called when the reader is back, with how many lines were dropped since it was called last. */
  readonly onResumed: (lines: number) => void;
}

export function createBoundedLines({ stream, maxWaiting, onResumed }: BoundedLinesParts) {
  let dropped = 0;
  let reported = 0;
  const drop = (error: unknown): void => {
    if (error) dropped += 1;
  };
  stream.on("drain", () => {
    const lines = dropped - reported;
    reported = dropped;
    if (lines > 0) onResumed(lines);
  });
  return {
    write(line: string): void {
      if (stream.writableLength + line.length > maxWaiting) {
        dropped += 1;
        return;
      }
      try {
        stream.write(line, drop);
      } catch {
        dropped += 1;
      }
    },
    dropped: (): number => dropped,
    /** Resolves when nothing waits, or after `withinMs`. */
    async flushed(withinMs: number): Promise<void> {
      if (stream.writableLength === 0) return;
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, withinMs);
        stream.write("", () => {
          clearTimeout(late);
          resolve();
        });
      });
    },
  };
}
