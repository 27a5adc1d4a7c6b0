/** The token file as it is now. A file that cannot be read keeps the rows that it had. */
import { formatProblem, misfit } from "../../config/problem.ts";
import { readTextFile } from "../../config/text/read-text-file.ts";
import { RedriverError } from "../../ports/errors.ts";
import { parseTokenFile, type TokenRow } from "./token-file.ts";

const maxFileBytes = 65_536;
const maxAgeMs = 2_000;

/** `file`: console.tokenFile; undefined: there are no tokens. Throws `settings-invalid` if the first reading fails. */
export function createLiveTokens(file: string | undefined, now: () => number): () => readonly TokenRow[] {
  if (file === undefined) return () => [];
  const first = readTokens(file);
  if (!first.ok) {
    const problem = {
      setting: `console.tokenFile (REDRIVER_CONSOLE_TOKEN_FILE) ${file}`,
      ...misfit("a file of tokens", undefined, `: ${first.why}`),
    };
    throw new RedriverError("settings-invalid", formatProblem(problem));
  }
  let { rows } = first;
  let readAt = now();
  return () => {
    const age = now() - readAt;
    if (age >= maxAgeMs || age < 0) {
      readAt = now();
      const next = readTokens(file);
      if (next.ok) rows = next.rows;
    }
    return rows;
  };
}

function readTokens(file: string): ReturnType<typeof parseTokenFile> {
  const read = readTextFile(file, maxFileBytes);
  return read.ok ? parseTokenFile(read.text) : { ok: false, why: read.why };
}
