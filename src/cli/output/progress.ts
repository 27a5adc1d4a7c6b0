import type { Io } from "../io.ts";

/** How far a command is, on stderr. */
export interface ProgressLine {
  /** `news` is shown at once, also if lines are shown only now and then. */
  show(text: string, weight?: "passing" | "news"): void;
  end(): void;
}

const linesEveryMs = 5_000;

/** On a terminal one line that is written over; elsewhere a line every 5 s, and the last one. */
export function createProgressLine(io: Io): ProgressLine {
  let latest: string | null = null;
  let shown: string | null = null;
  let shownAt = -Infinity;
  const write = (text: string): void => {
    shown = text;
    io.err(io.isTerminal ? `\r\u001B[2K${text}` : `${text}\n`);
  };
  return {
    show(text, weight = "passing") {
      latest = text;
      const now = performance.now();
      if (!io.isTerminal && weight === "passing" && now - shownAt < linesEveryMs) return;
      shownAt = now;
      write(text);
    },
    end() {
      if (latest !== null && shown !== latest) write(latest);
      if (io.isTerminal && latest !== null) io.err("\n");
      latest = null;
      shown = null;
      shownAt = -Infinity;
    },
  };
}
