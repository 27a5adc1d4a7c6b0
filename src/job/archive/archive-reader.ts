import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { createGunzip, gunzipSync } from "node:zlib";
import type {
  ArchiveDamage,
  ArchiveEntry,
  ArchiveFile,
  ArchiveFilter,
  ArchiveReader,
  ReadEntry,
} from "../contracts/archive.ts";
import { systemDisk } from "./disk.ts";
import { parseLine } from "./entry-line.ts";
import { splitMembers, type MemberBytes } from "./gzip-member.ts";
import { errorCode, toArchiveError } from "./translate-error.ts";

type Damage = Omit<ArchiveDamage, "file">;
/** `isBehind`: behind the checksum, so all lines of the member are sure. */
type MemberDamage = Pick<Damage, "kind" | "why"> & { readonly isBehind?: true };

const ending = ".ndjson.gz";
const newline = 0x0a;
/** A file of the archive is 64 MiB. Only a file from elsewhere can have a larger member. */
const maxMemberBytes = 256 * 1024 * 1024;
/** Above the largest record that the service lists, below the largest string. */
const maxLineBytes = 128 * 1024 * 1024;
/** Above every member of the archive, except a single write that is larger. */
const usualTextBytes = 16 * 1024 * 1024;
const chunkBytes = 256 * 1024;
/** Of one file, so that a hostile one does not fill the terminal. */
const damagesTold = 10;
const cutOffText = "ends in the middle of an entry";

/**
 * The entries of one file in order. Damage is reported and skipped: a torn member is read as far as it goes,
 * and then the next one. A file that is gone has no entries. Throws nothing.
 */
async function* readArchiveFile(
  file: string,
  onDamage: (damage: Damage) => void,
): AsyncGenerator<Omit<ReadEntry, "file">> {
  const source = createReadStream(file, { highWaterMark: chunkBytes });
  let line = 0;
  const told = new Set<string>();
  let more = 0;
  const report = (damage: Damage): void => {
    if (told.has(damage.why)) return;
    if (told.size === damagesTold) more += 1;
    else onDamage(damage);
    if (told.size < damagesTold) told.add(damage.why);
  };
  try {
    for await (const member of splitMembers(source, maxMemberBytes)) {
      const whole = unpackWhole(member.bytes);
      const damages: MemberDamage[] = [];
      let lines = 0;
      // Only its end has the checksum.
      if (whole === null) for await (const _ of readLines(member, (found) => damages.push(found))) lines += 1;
      for (const { kind, why, isBehind = false } of damages) {
        report({ kind, why: `behind line ${line + (isBehind ? lines : 0)}: ${why}`, entries: null });
      }
      const isSure = damages.every(({ isBehind }) => isBehind);
      // A stream of its own for each small member would take ten times as long.
      for await (const text of whole ?? readLines(member, () => undefined)) {
        line += 1;
        const entry = parseLine(text);
        if (typeof entry === "string") report({ kind: "broken", why: `line ${line}: ${entry}`, entries: 1 });
        else yield isSure ? entry : { ...entry, isDoubtful: true };
      }
    }
  } catch (error) {
    if (errorCode(error) !== "ENOENT") report({ kind: "broken", why: toReason(error), entries: null });
  } finally {
    source.destroy();
  }
  if (more > 0) onDamage({ kind: "broken", why: `${more} places more`, entries: null });
}

function unpackWhole(bytes: Buffer): readonly string[] | null {
  if (endsInZeros(bytes)) return null;
  try {
    const text = gunzipSync(bytes, { maxOutputLength: usualTextBytes }).toString("utf8");
    return text.endsWith("\n") ? text.slice(0, -1).split("\n") : null;
  } catch {
    return null;
  }
}

async function* readLines(
  { bytes, isLast }: MemberBytes,
  onDamage: (damage: MemberDamage) => void,
): AsyncGenerator<string> {
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  gunzip.end(bytes);
  let begun: Buffer[] = [];
  let begunBytes = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
        yield Buffer.concat([...begun, chunk.subarray(from, end)]).toString("utf8");
        begun = [];
        begunBytes = 0;
        from = end + 1;
      }
      begun.push(chunk.subarray(from));
      begunBytes += chunk.length - from;
      if (begunBytes > maxLineBytes) throw new RangeError(`a line of more than ${maxLineBytes} bytes`);
    }
  } catch (error) {
    const cutOff = isLast && (errorCode(error) === "Z_BUF_ERROR" || endsInZeros(bytes));
    onDamage({ kind: cutOff ? "torn" : "broken", why: cutOff ? cutOffText : toReason(error) });
    return;
  } finally {
    gunzip.destroy();
  }
  if (begunBytes > 0) onDamage({ kind: "broken", why: "a line without an end" });
  // The library skips zeros behind a member.
  if (gunzip.bytesWritten < bytes.length) {
    onDamage({ kind: isLast ? "torn" : "broken", why: cutOffText, isBehind: true });
  }
}

/** As a file system leaves lost bytes. A whole member ends with the length of its text (RFC 1952). */
function endsInZeros(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes.readUInt32LE(bytes.length - 4) === 0;
}

function toReason(error: unknown): string {
  const code = errorCode(error);
  if (code === "Z_BUF_ERROR" || code === "Z_DATA_ERROR") return "bytes that do not decompress";
  if (error instanceof RangeError) return error.message;
  return `cannot be read (${code ?? "unexpected failure"})`;
}

/**
 * Reads the archive in a directory, written by any process: every regular file that ends in `.ndjson.gz`,
 * by name, entries by position. Holds one gzip member at a time. Fails with `archive-unavailable` if the
 * directory cannot be listed.
 */
export function createArchiveReader(dir: string): ArchiveReader {
  const listed = async <One>(list: Promise<readonly One[]>): Promise<readonly One[]> => {
    try {
      return await list;
    } catch (error) {
      throw toArchiveError(error, dir, "read");
    }
  };
  const files = async (): Promise<readonly ArchiveFile[]> =>
    (await listed(systemDisk.list(dir))).filter(({ file }) => file.endsWith(ending));
  return {
    files,
    async *entries(filter, onDamage) {
      const fits = toPredicate(filter);
      for (const entry of await listed(readdir(dir, { withFileTypes: true }))) {
        if (entry.isFile() || !entry.name.endsWith(ending)) continue;
        onDamage({ file: entry.name, kind: "broken", why: "no regular file", entries: null });
      }
      for (const { file } of await files()) {
        const report = (damage: Damage): void => onDamage({ file, ...damage });
        for await (const entry of readArchiveFile(path.join(dir, file), report)) {
          if (fits(entry)) yield { ...entry, file };
        }
      }
    },
  };
}

function toPredicate(filter: ArchiveFilter): (entry: ArchiveEntry) => boolean {
  const { source, drain, dlqIds, since, until } = filter;
  const wanted = dlqIds === undefined ? null : new Set(dlqIds);
  return (entry) =>
    (source === undefined || entry.source === source) &&
    (drain === undefined || entry.drain === drain) &&
    (wanted === null || wanted.has(entry.dlqId)) &&
    (since === undefined || entry.at >= since) &&
    (until === undefined || entry.at <= until);
}
