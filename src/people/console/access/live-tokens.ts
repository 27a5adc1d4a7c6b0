/** The token file as it is now. A file that is rejected keeps the rows that it had. */
import { formatProblem, misfit } from "../../../config/problem.ts";
import { readTextFile } from "../../../config/text/read-text-file.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";
import { parseTokenFile, type TokenRow } from "./token-file.ts";

const maxFileBytes = 65_536;
const maxAgeMs = 2_000;

export interface LiveTokens {
  /** As of at most 2 s ago. */
  readonly rows: () => readonly TokenRow[];
  /** `/run/tokens: line 2: expected …`: why the last reading was rejected, never with a token; null: it was not. */
  readonly problem: () => string | null;
}

export const noTokens: LiveTokens = { rows: () => [], problem: () => null };

interface LiveTokensParts {
  readonly file: string;
  readonly now: () => number;
  /** Once for each problem, until the file is good again. */
  readonly onRejected: (why: string) => void;
}

/** Throws `settings-invalid` if the first reading fails. */
export function createLiveTokens({ file, now, onRejected }: LiveTokensParts): LiveTokens {
  const first = readTokens(file);
  if (!first.ok) {
    const problem = {
      setting: `console.tokenFile (REDRIVER_CONSOLE_TOKEN_FILE) ${file}`,
      message: misfit("a file of tokens", undefined, `: ${first.why}`),
    };
    throw new RedriverError("settings-invalid", formatProblem(problem));
  }
  let { rows } = first;
  let readAt = now();
  let why: string | null = null;
  const look = (): void => {
    const age = now() - readAt;
    if (age < maxAgeMs && age >= 0) return;
    readAt = now();
    const next = readTokens(file);
    if (next.ok) rows = next.rows;
    else if (next.why !== why) onRejected(next.why);
    why = next.ok ? null : next.why;
  };
  return {
    rows() {
      look();
      return rows;
    },
    problem() {
      look();
      return why === null ? null : `${file}: ${why}`;
    },
  };
}

function readTokens(file: string): ReturnType<typeof parseTokenFile> {
  const read = readTextFile(file, maxFileBytes);
  return read.ok ? parseTokenFile(read.text) : { ok: false, why: read.why };
}
