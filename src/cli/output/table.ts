/**
 * Columns padded to their widest cell, two spaces apart. Columns of numbers end at the right; `numbers` counts those from the second
 * one on that do so whatever is in them. Ends with a newline.
 */
export function toTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  numbers = 0,
): string {
  return toLines([header, ...rows], (column) => {
    if (column >= 1 && column <= numbers) return true;
    return rows.length > 0 && rows.every((row) => typeof row[column] === "number");
  });
}

/** A label and its value on each line, values below each other. */
export function toFields(fields: readonly (readonly [label: string, value: string])[]): string {
  return toLines(fields, () => false);
}

function toLines(
  rows: readonly (readonly (string | number)[])[],
  isRight: (column: number) => boolean,
): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => String(row[column] ?? "").length)),
  );
  const isRightAt = widths.map((_, column) => isRight(column));
  const toCell = (cell: string | number, column: number): string => {
    const width = widths[column] ?? 0;
    return isRightAt[column] === true ? String(cell).padStart(width) : String(cell).padEnd(width);
  };
  return rows.map((row) => `${row.map(toCell).join("  ").trimEnd()}\n`).join("");
}
