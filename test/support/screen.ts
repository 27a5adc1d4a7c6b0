/** What a terminal shows of what is written to it: rows of so many columns, the oldest first. */
export function createScreen(columns: number) {
  const rows: string[][] = [[]];
  let at = 0;
  const put = (character: string): void => {
    if (at === columns) {
      rows.push([]);
      at = 0;
    }
    const row = rows.at(-1)!;
    while (row.length < at) row.push(" ");
    row[at] = character;
    at += 1;
  };
  return {
    write(text: string): void {
      for (const [index, part] of text.split("\u001B[2K").entries()) {
        if (index > 0) rows[rows.length - 1] = [];
        for (const character of part) {
          if (character === "\n") rows.push([]);
          if (character === "\n" || character === "\r") at = 0;
          else put(character);
        }
      }
    },
    rows: (): readonly string[] => rows.map((row) => row.join("")),
  };
}
