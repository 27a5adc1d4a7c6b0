import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import { misused } from "../../../job/contracts/errors.ts";
import type { ProcessIo } from "../io.ts";

export interface NamedOutput {
  write(line: string): Promise<void>;
  /** Makes it whole and visible under its name. False: stdout could not be written, or its reader is gone. */
  commit(): Promise<boolean>;
  /** Leaves nothing behind. After a commit it does nothing. */
  discard(): Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

const bufferedCharacters = 64 * 1024;

/**
 * `-` is stdout. A file is written beside its place and renamed, so that there is a whole one or none. Only
 * its owner may read it. A link is followed. Throws `command-misused` if the file cannot be written, and for
 * a device or a pipe, which a rename would replace.
 */
export async function openNamedOutput(named: string, io: ProcessIo): Promise<NamedOutput> {
  if (named === "-") {
    // Pipes and files are written to at once, so nothing piles up, and an error comes right after.
    const commit = async (): Promise<boolean> => {
      await setImmediate();
      return !io.isOutLost;
    };
    return { write: (line) => Promise.resolve(io.out(line)), commit, discard: nothing };
  }
  const target = await toRegularFile(named);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  const file = await orMisused(target, () => open(temporary, "wx", 0o600));
  let buffered = "";
  let isOpen = true;
  const flush = async (): Promise<void> => {
    const text = buffered;
    buffered = "";
    if (text !== "") await orMisused(target, () => file.appendFile(text));
  };
  return {
    async write(line) {
      buffered += line;
      if (buffered.length >= bufferedCharacters) await flush();
    },
    async commit() {
      await flush();
      await orMisused(target, () => file.sync());
      isOpen = false;
      await file.close();
      await orMisused(target, () => rename(temporary, target));
      return true;
    },
    async discard() {
      if (isOpen) {
        isOpen = false;
        await file.close();
      }
      await rm(temporary, { force: true });
    },
  };
}

async function toRegularFile(named: string): Promise<string> {
  const refused = misused(`cannot write to ${JSON.stringify(named)}: expected a file; - is stdout`);
  // Only the rename at the end would notice.
  if (/(^|\/)$/.test(named)) throw refused;
  try {
    const target = await realpath(named);
    if ((await stat(target)).isFile()) return target;
  } catch (error) {
    // Not there yet. Opening it reports whatever else is wrong.
    if (error instanceof Error) return named;
    throw error;
  }
  throw refused;
}

async function orMisused<Answer>(target: string, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (cause) {
    const why = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw misused(`cannot write to ${target}: ${why}`, { cause });
  }
}
