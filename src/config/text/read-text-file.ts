import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from "node:fs";

export type TextFile =
  | { readonly ok: true; readonly text: string }
  /** `why` completes "expected a readable file: …". */
  | { readonly ok: false; readonly why: string };

/** Stops reading one byte behind `maxBytes`, so that a huge file costs nothing. */
export function readTextFile(path: string, maxBytes: number): TextFile {
  if (path === "-") return { ok: false, why: "stdin is not read here; a file of that name is ./-" };
  let file: number | undefined;
  try {
    let kind = kindOtherThanFile(path);
    if (kind === null) {
      // Not blocking, for what was put in its place since.
      file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      kind = kindOf(fstatSync(file));
    }
    if (kind !== null || file === undefined)
      return { ok: false, why: `expected a regular file, got ${kind}` };
    const bytes = readUpTo(file, maxBytes + 1);
    if (bytes.length > maxBytes) return { ok: false, why: `it is larger than ${maxBytes} bytes` };
    return isUtf8(bytes)
      ? { ok: true, text: bytes.toString("utf8") }
      : { ok: false, why: `it is ${noUtf8(bytes)}` };
  } catch (error) {
    return { ok: false, why: whyUnreadable(error) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Null for a regular file. A FIFO without a writer blocks, a device may act, and a socket never ends. */
export function kindOtherThanFile(path: string): string | null {
  return kindOf(statSync(path));
}

function kindOf(stats: Stats): string | null {
  if (stats.isFile()) return null;
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a FIFO";
  if (stats.isSocket()) return "a socket";
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return "a device";
  return "something else";
}

export function noUtf8(bytes: Buffer): string {
  const lines = bytes.toString("latin1").split("\n");
  return `not UTF-8 text (line ${lines.findIndex((line) => !isUtf8(Buffer.from(line, "latin1"))) + 1})`;
}

function readUpTo(file: number, maxBytes: number): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  while (total < maxBytes) {
    const chunk = Buffer.alloc(Math.min(65_536, maxBytes - total));
    const count = readSync(file, chunk, 0, chunk.length, null);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  return Buffer.concat(chunks);
}

function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  switch (code) {
    case "ENOENT":
      return "it does not exist";
    case "EACCES":
    case "EPERM":
      return "it may not be read by this user";
    default:
      return code === "" ? "it could not be read" : `it could not be read (${code})`;
  }
}
