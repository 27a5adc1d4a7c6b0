/** One text that a row of the terminal showed. A row that was written again has several. */
export interface RowText {
  /** From 0, over everything that was printed. */
  readonly row: number;
  /** Since the start. */
  readonly fromMs: number;
  /** Null: until the end. */
  readonly toMs: number | null;
  readonly text: string;
}

export interface TerminalRecording {
  readonly columns: number;
  readonly durationMs: number;
  readonly texts: readonly RowText[];
}

interface Version {
  readonly fromMs: number;
  readonly text: string;
}

/** Fewer would be one to the eye. */
const leastMs = 60;

/** Keeps what each row shows, and since when. */
export function createRecorder() {
  const rows: Version[][] = [];
  return {
    /** What all rows show at this time. */
    see(shown: readonly string[], atMs: number): void {
      for (const [row, whole] of shown.entries()) {
        const text = whole.trimEnd();
        const versions = (rows[row] ??= []);
        const last = versions.at(-1);
        if ((last?.text ?? "") === text) continue;
        if (last !== undefined && atMs - last.fromMs < leastMs) versions.pop();
        versions.push({
          fromMs: last !== undefined && atMs - last.fromMs < leastMs ? last.fromMs : atMs,
          text,
        });
      }
    },
    recording(columns: number, durationMs: number): TerminalRecording {
      const texts = rows.flatMap((versions, row) =>
        versions.map(({ fromMs, text }, index) => {
          return { row, fromMs, toMs: versions[index + 1]?.fromMs ?? null, text };
        }),
      );
      return { columns, durationMs, texts: texts.filter(({ text }) => text !== "") };
    },
  };
}
