import { toSpelledOut } from "../../../job/message/show-masked-values.ts";
import type { Io } from "../io.ts";
import { tableLimit } from "./table.ts";
import { toEscapedJson, toSafeJson } from "../../../job/message/write-safe-json.ts";
import type { HostPause } from "../../../job/contracts/pauses.ts";
import { toDestinationText } from "../../operations/destination-text.ts";
import { toTime } from "../../operations/phrases.ts";

/** A command's one result on stdout: as JSON if `--json` was given, else as text. */
export function printResult(
  { out }: Pick<Io, "out">,
  json: boolean | undefined,
  value: object,
  toText: () => string,
): void {
  out(json === true ? toJsonText(value) : toText());
}

/** On a terminal, unless NO_COLOR asks for none (no-color.org) or the terminal has none. */
export function isColoured({ columns, env }: Pick<Io, "columns" | "env">): boolean {
  return Number.isFinite(columns) && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

/** What became of an act, as one line on stderr whatever it names. */
export function printSaid({ err }: Pick<Io, "err">, said: string): void {
  err(`${toSpelledOut(said)}\n`);
}

/**
 * Rows on stdout while they are read: a line of JSON for each if `toJson` is given, else one table of what
 * `toRow` makes of them. Answers how many were shown, and whether the limit hid others, which stderr reports.
 */
export async function printRows<Read, Row>(
  io: Io,
  reading: AsyncIterable<Read>,
  limit: number | undefined,
  toJson: ((one: Read) => object) | null,
  toRow: (one: Read) => Row,
  toTable: (rows: readonly Row[]) => string,
): Promise<{ readonly shown: number; readonly more: boolean }> {
  const max = limit ?? (toJson === null ? tableLimit : Number.POSITIVE_INFINITY);
  const rows: Row[] = [];
  let shown = 0;
  let more = false;
  for await (const one of reading) {
    more = shown === max;
    if (more) break;
    shown += 1;
    const row = toRow(one);
    if (toJson === null) rows.push(row);
    else io.out(toJsonLine(toJson(one)));
  }
  if (toJson === null) io.out(toTable(rows));
  if (more) io.err(`there is more than these ${shown}; see --limit\n`);
  return { shown, more };
}

/** Of the form of each object that `--json` prints, as `v`. docs/commands.md has the promise behind it. */
const version = 1;

/** One line, without characters that a terminal would act on. */
export function toJsonLine(value: object): string {
  return `${toSafeJson(withVersion(value))}\n`;
}

/** The same over several lines, for people who look at it. */
export function toJsonText(value: object): string {
  return `${toEscapedJson(JSON.stringify(withVersion(value), null, 2))}\n`;
}

function withVersion(value: object): object {
  return Array.isArray(value) ? (value as readonly object[]).map(withVersion) : { v: version, ...value };
}

/** For a command that would publish: what it leaves alone. A line for each paused destination. */
export function toHostPausesNote(drain: string, pauses: readonly HostPause[]): string {
  const lines = pauses.map(({ host, by, reason, until }) => {
    const end = until === undefined ? "" : ` until ${toTime(until)}`;
    const paused = `${drain}: ${toDestinationText(host)} is paused by ${by}${end}: ${reason}`;
    return `${toSpelledOut(paused)}; nothing new is published there\n`;
  });
  return lines.join("");
}
