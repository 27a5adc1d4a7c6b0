import path from "node:path";
import type { Disk, DiskFile } from "./disk.ts";
import { toFileName, type Writer } from "./file-name.ts";
import { errorCode } from "./translate-error.ts";

/** The file or its directory was removed or renamed, so its bytes are not in the archive. */
export class FileVanished extends Error {
  readonly file: string;

  constructor(file: string) {
    super(`${file} is no longer there`);
    this.file = file;
  }
}

/**
 * One file of the archive while this process writes to it. It is made with a missing directory, under a name
 * that no other process has.
 *
 *   append: write behind the last good member → sync the file → sync the directory if the file is new
 *           → is its name still there?
 *
 * Only after all four is the member good. A file with a failed append is never written to again. It is cut back to its
 * last good member if possible, and the next success is in another file. So nothing good is ever behind a torn member.
 * A sync that failed once is not believed the second time, because the kernel may have dropped the pages.
 *
 * `openedAt` and `namedAt`: now in Unix ms, by this machine's clock and for its name. `nextCount` counts
 * within the process.
 */
export async function createOpenFile(
  disk: Disk,
  dir: string,
  { openedAt, namedAt }: { readonly openedAt: number; readonly namedAt: number },
  writer: Writer,
  nextCount: () => number,
) {
  await disk.makeDirectory(dir);
  const { name, file } = await createUnique(disk, dir, () => toFileName(namedAt, writer, nextCount()));
  const whole = path.join(dir, name);
  let good = 0;
  return {
    name,
    openedAt,
    get bytes(): number {
      return good;
    },
    /** Unix ms by the clock of the file system. Throws the system's error. */
    madeAt: (): Promise<number> => file.changedAt(),
    /** Throws the system's error, or `FileVanished`. */
    async append(member: Uint8Array): Promise<void> {
      await writeAll(file, member, good);
      await file.sync();
      if (good === 0) await disk.syncDirectory(dir);
      if ((await disk.identity(whole)) !== (await file.identity())) throw new FileVanished(name);
      good += member.length;
    },
    /** After a failed append; never throws. */
    async abandon(): Promise<void> {
      await quietly(async () => {
        await file.truncate(good);
        await file.sync();
      });
      if (good === 0) {
        await quietly(async () => {
          if ((await disk.identity(whole)) === (await file.identity())) await disk.remove(whole);
        });
      }
      await quietly(() => file.close());
    },
    /** Never throws: everything good is synced already. */
    close: (): Promise<void> => quietly(() => file.close()),
  };
}
export type OpenFile = Awaited<ReturnType<typeof createOpenFile>>;

async function createUnique(
  disk: Disk,
  dir: string,
  nextName: () => string,
): Promise<{ readonly name: string; readonly file: DiskFile }> {
  for (;;) {
    const name = nextName();
    try {
      return { name, file: await disk.create(path.join(dir, name)) };
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
}

/** Continues a write that took fewer bytes than given. The system gives the reason when it takes no more. */
async function writeAll(file: DiskFile, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const taken = await file.write(bytes.subarray(written), position + written);
    if (taken === 0) throw new Error("a write took nothing");
    written += taken;
  }
}

async function quietly(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch {
    // The failure that led here is the one that is reported.
  }
}
