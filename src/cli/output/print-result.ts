import type { Io } from "../io.ts";

/** A command's one result on stdout: as JSON if `--json` was given, else as text. */
export function printResult(io: Io, json: boolean | undefined, value: unknown, toText: () => string): void {
  io.out(json === true ? `${JSON.stringify(value, null, 2)}\n` : toText());
}
