import type { Io } from "../io.ts";

const linesEveryMs = 5_000;

/** On a terminal one line that is written over; elsewhere a line every 5 s, and the last one. */
export function createProgressLine(io: Io) {
  let latest: string | null = null;
  let shown: string | null = null;
  let shownAt = -Infinity;
  const write = (text: string): void => {
    shown = text;
    io.err(io.isTerminal ? `\r\u001B[2K${text}` : `${text}\n`);
  };
  return {
    /** `news` is shown at once, also if lines are shown only now and then. */
    show(text: string, weight: "passing" | "news" = "passing"): void {
      latest = text;
      const now = performance.now();
      if (!io.isTerminal && weight === "passing" && now - shownAt < linesEveryMs) return;
      shownAt = now;
      write(text);
    },
    end(): void {
      if (latest !== null && shown !== latest) write(latest);
      if (io.isTerminal && latest !== null) io.err("\n");
      latest = null;
      shown = null;
      shownAt = -Infinity;
    },
  };
}
