import { tableLimit } from "./table.ts";
import type { Io } from "../io.ts";

/** A command's one result on stdout: as JSON if `--json` was given, else as text. */
export function printResult(
  { out }: Pick<Io, "out">,
  json: boolean | undefined,
  value: unknown,
  toText: () => string,
): void {
  out(json === true ? `${JSON.stringify(value, null, 2)}\n` : toText());
}

/**
 * Rows on stdout while they are read: a line of JSON for each if `toLine` is given, else one table of what
 * `toRow` makes of them. Answers how many were shown, and whether the limit hid others, which stderr reports.
 */
export async function printRows<Read, Row>(
  io: Io,
  reading: AsyncIterable<Read>,
  limit: number | undefined,
  toLine: ((one: Read) => string) | null,
  toRow: (one: Read) => Row,
  toTable: (rows: readonly Row[]) => string,
): Promise<{ readonly shown: number; readonly more: boolean }> {
  const max = limit ?? (toLine === null ? tableLimit : Number.POSITIVE_INFINITY);
  const rows: Row[] = [];
  let shown = 0;
  let more = false;
  for await (const one of reading) {
    more = shown === max;
    if (more) break;
    shown += 1;
    const row = toRow(one);
    if (toLine === null) rows.push(row);
    else io.out(`${toLine(one)}\n`);
  }
  if (toLine === null) io.out(toTable(rows));
  if (more) io.err(`there is more than these ${shown}; see --limit\n`);
  return { shown, more };
}
