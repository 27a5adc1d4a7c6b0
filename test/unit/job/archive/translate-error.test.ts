import { describe, expect, it } from "vitest";
import { toArchiveError } from "../../../../src/job/archive/translate-error.ts";

describe("an error of the file system", () => {
  it.each([
    { code: "ENOSPC", reason: "no space left on the volume (ENOSPC)" },
    { code: "EACCES", reason: "no permission (EACCES)" },
    { code: "EXDEV", reason: "a failure (EXDEV)" },
    { code: undefined, reason: "an unexpected failure" },
  ])("$code is told with the directory and the key", ({ code, reason }) => {
    const cause = Object.assign(new Error("secret of the cause"), { code });
    const error = toArchiveError(cause, "/archive", "write to");
    expect(error).toMatchObject({ code: "archive-unavailable", disposition: "retry", cause });
    expect(error.message).toBe(
      `expected to write to the archive in /archive, got ${reason}; see archive.dir`,
    );
  });
});
