/** What a terminal shows of what is written to it: rows of so many columns, the oldest first. */
export function createScreen(columns: number) {
  const rows: string[][] = [[]];
  let at = 0;
  const last = (): string[] => rows.at(-1)!;
  const put = (character: string): void => {
    if (at === columns) {
      rows.push([]);
      at = 0;
    }
    last()[at] = character;
    at += 1;
  };
  return {
    write(text: string): void {
      for (const [piece] of text.matchAll(/\u001B\[2K|[^]/gu)) {
        if (piece === "\u001B[2K") rows[rows.length - 1] = [];
        else if (piece === "\r") at = 0;
        else if (piece === "\n") {
          rows.push([]);
          at = 0;
        } else put(piece);
      }
    },
    rows: (): readonly string[] => rows.map((row) => Array.from(row, (one = " ") => one).join("")),
  };
}
