import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, basename } from "node:path";
import { RedriverError } from "../../../job/contracts/errors.ts";
import type { ProcessIo } from "../io.ts";
import { readPlan, type PlanFile } from "../../plan/plan-file.ts";
import type { PlanRecord } from "../../plan/plan-file-record.ts";
import { readNamedFile } from "../input/named-file.ts";

export interface PlanOutput {
  write(line: string): Promise<void>;
  /** Makes it whole and visible under its name. */
  commit(): Promise<void>;
  /** Leaves nothing behind. After a commit it does nothing. */
  discard(): Promise<void>;
}

const bufferedCharacters = 64 * 1024;

/**
 * `-` is stdout. A file is written beside its place and renamed, so that there is a whole plan or none. Only
 * its owner may read it. A link is followed. Throws `command-misused` if the file cannot be written, and for
 * a device or a pipe, which a rename would replace.
 */
export async function openPlanOutput(named: string, io: ProcessIo): Promise<PlanOutput> {
  if (named === "-") {
    return {
      // Pipes and files are written to at once, so nothing piles up.
      write: (line) => Promise.resolve(io.out(line)),
      commit: () => Promise.resolve(),
      discard: () => Promise.resolve(),
    };
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
  try {
    const target = await realpath(named);
    if ((await stat(target)).isFile()) return target;
  } catch (error) {
    // Not there yet. Opening it reports whatever else is wrong.
    if (error instanceof Error) return named;
    throw error;
  }
  throw new RedriverError(
    "command-misused",
    `the plan cannot be written to ${named}: expected a file; - is stdout`,
  );
}

async function orMisused<Answer>(target: string, act: () => Promise<Answer>): Promise<Answer> {
  try {
    return await act();
  } catch (cause) {
    const why = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw new RedriverError("command-misused", `the plan cannot be written to ${target}: ${why}`, { cause });
  }
}

/**
 * Reads a whole plan; `-` is stdin. Throws `plan-invalid` for a file that is no plan or was changed, and
 * `command-misused` for one that cannot be read. Nothing may be done about a record before the answer is
 * there.
 */
export async function readPlanFile(
  file: string,
  onRecord: (record: PlanRecord) => void = () => undefined,
): Promise<PlanFile> {
  // What comes by a pipe comes once.
  const piped: Buffer[] = [];
  const read = async function* (): AsyncGenerator<Buffer> {
    if (piped.length > 0) return yield* piped;
    for await (const chunk of readNamedFile(file)) {
      if (file === "-") piped.push(chunk);
      yield chunk;
    }
  };
  try {
    const reading = await readPlan(read(), onRecord);
    if (reading.ok) return { ...reading, read };
    throw new RedriverError("plan-invalid", `${file === "-" ? "the plan" : file}: ${reading.problem}`);
  } catch (cause) {
    if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) throw cause;
    throw new RedriverError("command-misused", `${file} cannot be read: ${String(cause.code)}`, { cause });
  }
}
