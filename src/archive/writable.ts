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
 * Why files cannot be written into a directory, or why a missing one cannot be made; null: no visible reason.
 * Changes nothing, so problems that only a write finds are not found.
 */
export async function whyUnwritable(dir: string): Promise<Unwritable | null> {
  for (let at = path.resolve(dir); ; at = path.dirname(at)) {
    try {
      if (!(await stat(at)).isDirectory()) return toUnwritable(new SystemError("ENOTDIR"), dir);
      await access(at, constants.W_OK | constants.X_OK);
      const { blocks, bavail } = await statfs(at);
      // A file system that counts nothing reports 0 for both.
      return blocks > 0 && bavail === 0 ? toUnwritable(new SystemError("ENOSPC"), dir) : null;
    } catch (error) {
      if (errorCode(error) === "ENOENT" && path.dirname(at) !== at) continue;
      return toUnwritable(error, dir);
    }
  }
}

/** The system's error of a write, without the write. */
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
