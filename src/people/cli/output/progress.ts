import type { Io } from "../io.ts";
import type { ParkedSearch } from "../../operations/define.ts";
import type { Stop } from "../with-core.ts";

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
      if (io.errColumns() !== null) return io.line(text);
      const now = performance.now();
      if (weight === "passing" && now - shownAt < linesEveryMs) return;
      shownAt = now;
      shown = text;
      io.err(`${text}\n`);
    },
    end(): void {
      io.line(null);
      if (latest !== null && shown !== latest) io.err(`${latest}\n`);
      [latest, shown, shownAt] = [null, null, -Infinity];
    },
  };
}

/** A short listing ends before anybody asks how far it is. */
const silentUntil = 1_000;

export async function showListed<Result>(
  io: Io,
  stop: Stop,
  search: (by: ParkedSearch) => Promise<Result>,
): Promise<Result> {
  const line = createProgressLine(io);
  const onListed = (listed: number): void => {
    if (listed >= silentUntil) line.show(`${listed} listed`);
  };
  try {
    return await search({ ...stop, onListed });
  } finally {
    line.end();
  }
}
