import path from "node:path";
import type { Archive, DeclaredVolume } from "../contracts/archive.ts";
import { RedriverError } from "../contracts/errors.ts";
import { systemDisk, type Disk } from "./disk.ts";
import { toLine } from "./entry-line.ts";
import { type Writer, parseOpenedAt } from "./file-name.ts";
import { createGroupCommit } from "./group-commit.ts";
import { toMember } from "./gzip-member.ts";
import { createOpenFile, FileVanished, type OpenFile } from "./open-file.ts";
import { toArchiveError } from "./translate-error.ts";
import { createTwoClocks } from "./two-clocks.ts";
import { judgeVolume, toVolumeComplaint } from "./judge-volume.ts";

export interface ArchiveSettings extends Writer {
  readonly dir: string;
  /** Files with only older entries are removed when a file is begun. */
  readonly keepMs: number;
  /** Compared with the real volume before a file is begun. Absent: the volume is not checked. */
  readonly volume?: DeclaredVolume;
  /** A file that has this many compressed bytes is followed by another; default 64 MiB. */
  readonly maxFileBytes?: number;
  readonly now: () => number;
  /** The same by another machine's clock. Null: it does not answer, and no file is removed. Never throws. */
  readonly otherNow: () => Promise<number | null>;
  /** Problems that do not stop a write: an old file that cannot be removed, a file that is gone. */
  readonly report: (problem: RedriverError) => void;
  readonly disk?: Disk;
}

/** A file is written to for at most this long, and for half of `keepMs`. */
const maxFileAgeMs = 3_600_000;
/** Entries of one member as text, before compression. It bounds the memory of a write and of a reader. */
const maxGroupLength = 8 * 1024 * 1024;

/** After the second failed write in a row 2 s, then twice as long each time: a volume stays full for hours. */
const firstRestMs = 2_000;
const maxRestMs = 300_000;
/** A failure that no write has followed is forgotten then. */
const failureKnownForMs = 2 * maxRestMs;

/** Everything that waits while a member is written becomes the next one: one write and one sync for all. */
export function createArchive({
  dir,
  keepMs,
  volume,
  maxFileBytes = 64 * 1024 * 1024,
  owner,
  pid,
  now,
  otherNow,
  report,
  disk = systemDisk,
}: ArchiveSettings): Archive {
  // Another process must not remove a file as old that is still being written to, even if clocks differ.
  const rotateAfterMs = Math.min(maxFileAgeMs, keepMs / 2);
  let count = 0;
  let current: OpenFile | null = null;
  let closing: Promise<void> | null = null;
  let failed: { readonly why: string; readonly at: number; readonly restMs: number } | null = null;

  const clocks = createTwoClocks(now, otherNow, (apartMs) => report(toClocksApart(apartMs, dir)));

  const reportError = (error: unknown): void => report(toArchiveError(error, dir, "write to"));
  /** Only files of our own naming, changed and opened longer ago than `keepMs`. Null: no sure time. */
  const removeOld = async (seenNow: number | null, file: OpenFile): Promise<void> => {
    if (seenNow === null) return;
    try {
      const earliest = Math.min(seenNow, await file.madeAt());
      for (const { file: name, changedAt } of await disk.list(dir)) {
        const openedAt = parseOpenedAt(name);
        if (openedAt === null || name === file.name) continue;
        if (earliest - Math.max(openedAt, changedAt) <= keepMs) continue;
        await disk.remove(path.join(dir, name)).catch(reportError);
      }
    } catch (error) {
      reportError(error);
    }
  };

  const requireVolume = async (): Promise<void> => {
    if (volume === undefined) return;
    const found = await disk.volume(dir);
    if (judgeVolume(found, volume) === "unfit") throw unavailable(toVolumeComplaint(found, dir));
  };

  const isFull = ({ bytes, openedAt }: OpenFile, more: number): boolean =>
    (bytes > 0 && bytes + more > maxFileBytes) || Math.abs(now() - openedAt) >= rotateAfterMs;

  const fileFor = async (more: number): Promise<OpenFile> => {
    if (current !== null && isFull(current, more)) {
      const full = current;
      current = null;
      await full.close();
    }
    if (current === null) {
      await requireVolume();
      const seenNow = await clocks.earlier();
      const times = { openedAt: now(), namedAt: clocks.later() };
      current = await createOpenFile(disk, dir, times, { owner, pid }, () => (count += 1));
      await removeOld(seenNow, current);
    }
    return current;
  };

  const append = async (member: Buffer): Promise<string> => {
    const file = await fileFor(member.length);
    try {
      await file.append(member);
      return file.name;
    } catch (error) {
      current = null;
      await file.abandon();
      throw error;
    }
  };

  const sinceMs = (at: number): number => Math.abs(now() - at);

  const commit = async (text: string): Promise<{ readonly file: string }> => {
    try {
      const member = await toMember(text);
      const file = await append(member).catch((error: unknown) => {
        if (!(error instanceof FileVanished)) throw error;
        report(toVanished(error, dir));
        return append(member);
      });
      failed = null;
      return { file };
    } catch (error) {
      const told = toArchiveError(error, dir, "write to");
      // Pages that were begun together fail together, and count once.
      if (failed === null || sinceMs(failed.at) >= failed.restMs) {
        const restMs = failed === null ? 0 : Math.min(maxRestMs, failed.restMs * 2 || firstRestMs);
        failed = { why: told.message, at: now(), restMs };
      }
      throw told;
    }
  };

  const writes = createGroupCommit(commit, maxGroupLength);

  const end = async (): Promise<void> => {
    await writes.idle();
    await current?.close();
    current = null;
  };

  return {
    async write(entries) {
      if (closing !== null) throw unavailable(`the archive in ${dir} is closed`);
      return writes.add(entries.map(toLine).join(""));
    },
    problem() {
      if (failed === null || sinceMs(failed.at) >= failureKnownForMs) return null;
      return { why: failed.why, isResting: sinceMs(failed.at) < failed.restMs };
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
}

function unavailable(message: string, cause?: unknown): RedriverError {
  return new RedriverError("archive-unavailable", message, { cause });
}

function toClocksApart(apartMs: number, dir: string): RedriverError {
  return unavailable(
    `expected the clocks of this machine and of Redis to agree, got ${Math.round(apartMs / 60_000)} min between them: nothing is removed from the archive in ${dir} until they do; what is written is kept`,
  );
}

function toVanished(cause: FileVanished, dir: string): RedriverError {
  return unavailable(
    `expected ${cause.file} in the archive in ${dir}, got nothing: somebody removed or moved it; what was kept goes on in a new file`,
    cause,
  );
}
