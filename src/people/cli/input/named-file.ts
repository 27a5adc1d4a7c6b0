import { createReadStream } from "node:fs";
import { kindOtherThanFile } from "../../../config/text/read-text-file.ts";
import { misused } from "../../../job/contracts/errors.ts";

/**
 * The bytes of a file that a command names; `-` is stdin. Throws `command-misused` for what is no regular
 * file: one that waits for a writer would never end. The stream fails with the system's error.
 */
export function readNamedFile(file: string): AsyncIterable<Buffer> {
  if (file === "-") return process.stdin;
  const kind = kindOf(file);
  const expected = `${JSON.stringify(file)}: expected a regular file, or - for stdin`;
  if (kind !== null) throw misused(`${expected}; got ${kind}`);
  return createReadStream(file);
}

function kindOf(file: string): string | null {
  try {
    return kindOtherThanFile(file);
  } catch {
    return null;
  }
}
