/**
 * What `--json` prints, for every command. Each object has `v`, the version of its form; a list has it in each of
 * its objects. docs/commands.md has the promise behind it.
 */
import { toEscapedJson, toSafeJson } from "../../../job/message/write-safe-json.ts";

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
