import { access, constants, stat, statfs } from "node:fs/promises";
import path from "node:path";
import type { RedriverError } from "../ports/errors.ts";
import { errorCode } from "./disk.ts";
import { toArchiveError } from "./translate-error.ts";

export interface Unwritable {
  readonly error: RedriverError;
  /** Something on the path is no directory: no mount and no permission fixes that. */
  readonly isCertain: boolean;
}

/**
 * What keeps files from being written into a directory, or it from being made where it is missing; null:
 * nothing that can be seen. Changes nothing, so what only a write finds is not found.
 */
export async function whyUnwritable(dir: string): Promise<Unwritable | null> {
  for (let at = path.resolve(dir); ; at = path.dirname(at)) {
    try {
      if (!(await stat(at)).isDirectory()) return toUnwritable(new SystemError("ENOTDIR"), dir);
      await access(at, constants.W_OK | constants.X_OK);
      const { blocks, bavail } = await statfs(at);
      // A file system that counts nothing says 0 of both.
      return blocks > 0 && bavail === 0 ? toUnwritable(new SystemError("ENOSPC"), dir) : null;
    } catch (error) {
      if (errorCode(error) === "ENOENT" && path.dirname(at) !== at) continue;
      return toUnwritable(error, dir);
    }
  }
}

/** What the system would say of a write. */
class SystemError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

function toUnwritable(error: unknown, dir: string): Unwritable {
  return { error: toArchiveError(error, dir, "write to"), isCertain: errorCode(error) === "ENOTDIR" };
}
