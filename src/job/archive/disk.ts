import { mkdir, open, readdir, stat, unlink } from "node:fs/promises";
import path from "node:path";
import type { ArchiveFile, ArchiveVolume } from "../contracts/archive.ts";
import { errorCode } from "./translate-error.ts";
import { readVolume } from "./judge-volume.ts";

/** A file that only this process writes to. */
export interface DiskFile {
  /** Answers how many bytes were taken, which is fewer than given when the volume is full. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Resolves when the written bytes survive a crash of the machine. */
  sync(): Promise<void>;
  truncate(bytes: number): Promise<void>;
  /** Equal to that of a path exactly when the path leads to this file. */
  identity(): Promise<string>;
  /** When it was changed last, Unix ms by the clock of the file system, which may be another machine's. */
  changedAt(): Promise<number>;
  close(): Promise<void>;
}

/** The file system as the archive needs it. Fails with the system's own errors. */
export interface Disk {
  /** Makes a directory and its missing parents, for this user alone, and so that they survive a crash. */
  makeDirectory(dir: string): Promise<void>;
  /** Fails with EEXIST if the name is taken: so no two processes ever write to one file. */
  create(file: string): Promise<DiskFile>;
  /** Resolves when the names in it survive a crash of the machine. */
  syncDirectory(dir: string): Promise<void>;
  /** Null if nothing is there. */
  identity(file: string): Promise<string | null>;
  list(dir: string): Promise<readonly ArchiveFile[]>;
  /** A file that is gone already counts as removed. */
  remove(file: string): Promise<void>;
  /** The volume of a directory, or of its nearest parent if it is missing. */
  volume(dir: string): Promise<ArchiveVolume>;
}

/** Files hold bodies and header values: nobody but this user reads them. */
const fileMode = 0o600;
const directoryMode = 0o700;

export const systemDisk: Disk = {
  async makeDirectory(dir) {
    const whole = path.resolve(dir);
    const first = await mkdir(whole, { recursive: true, mode: directoryMode });
    if (first === undefined) return;
    // Each new directory is a name in its parent.
    for (let made = whole; made.length >= first.length; made = path.dirname(made)) {
      await syncDirectory(path.dirname(made));
    }
  },
  async create(file) {
    const handle = await open(file, "wx", fileMode);
    return {
      write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
      sync: () => handle.sync(),
      truncate: (bytes) => handle.truncate(bytes),
      identity: async () => toIdentity(await handle.stat({ bigint: true })),
      changedAt: async () => Math.floor((await handle.stat()).mtimeMs),
      close: () => handle.close(),
    };
  },
  syncDirectory,
  async identity(file) {
    const found = await unlessMissing(stat(file, { bigint: true }));
    return found === null ? null : toIdentity(found);
  },
  async list(dir) {
    const entries = await readdir(dir, { withFileTypes: true });
    const files: ArchiveFile[] = [];
    for (const { name: file } of entries.filter((entry) => entry.isFile())) {
      // Another process may have removed it as too old.
      const found = await unlessMissing(stat(path.join(dir, file)));
      if (found !== null) files.push({ file, bytes: found.size, changedAt: Math.floor(found.mtimeMs) });
    }
    return files.toSorted((one, other) => (one.file < other.file ? -1 : 1));
  },
  async remove(file) {
    await unlessMissing(unlink(file));
  },
  volume: readVolume,
};

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function toIdentity({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`;
}

async function unlessMissing<Answer>(call: Promise<Answer>): Promise<Answer | null> {
  try {
    return await call;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return null;
    throw error;
  }
}
