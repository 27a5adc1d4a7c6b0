import type { Io } from "../io.ts";

const linesEveryMs = 5_000;

/** On a terminal one line below all output; elsewhere a line every 5 s, and the last one. */
export function createProgressLine(io: Io) {
  let latest: string | null = null;
  let shown: string | null = null;
  let shownAt = -Infinity;
  return {
    /** `news` is shown at once, also if lines are shown only now and then. */
    show(text: string, weight: "passing" | "news" = "passing"): void {
      latest = text;
      if (io.errColumns() !== null) {
        io.line(text);
        return;
      }
      const now = performance.now();
      if (weight === "passing" && now - shownAt < linesEveryMs) return;
      shownAt = now;
      shown = text;
      io.err(`${text}\n`);
    },
    end(): void {
      io.line(null);
      if (latest !== null && shown !== latest) io.err(`${latest}\n`);
      latest = null;
      shown = null;
      shownAt = -Infinity;
    },
  };
}
