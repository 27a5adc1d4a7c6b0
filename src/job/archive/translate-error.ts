import { RedriverError, isRedriverError } from "../contracts/errors.ts";

const words: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on the volume",
  EDQUOT: "the quota of the volume is used up",
  EFBIG: "a limit on the size of files",
  EROFS: "a read-only file system",
  EACCES: "no permission",
  EPERM: "no permission",
  EIO: "an input/output error",
  ENOENT: "no such directory",
  ENOTDIR: "something on the path that is not a directory",
  EEXIST: "something that is not a directory",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  ESTALE: "a stale network file handle",
};

export function toArchiveError(error: unknown, dir: string, wanted: "write to" | "read"): RedriverError {
  if (isRedriverError(error)) return error;
  const code = errorCode(error);
  const reason = code === undefined ? "an unexpected failure" : `${words[code] ?? "a failure"} (${code})`;
  return new RedriverError(
    "archive-unavailable",
    `expected to ${wanted} the archive in ${dir}, got ${reason}; see archive.dir`,
    { cause: error },
  );
}

export function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}
