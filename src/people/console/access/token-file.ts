/** The file of `console.auth: token`: a line `name role token` for each person or program. */
import { createHash, timingSafeEqual } from "node:crypto";
import { findCopyingMistake } from "../../../config/settings/secret-mistakes.ts";
import { consoleRoles, type ConsoleRole } from "../../../job/contracts/console-roles.ts";
import { formatProblem, misfit } from "../../../config/problem.ts";
import { readTextFile } from "../../../config/text/read-text-file.ts";
import { RedriverError } from "../../../job/contracts/errors.ts";

export interface TokenRow {
  readonly name: string;
  readonly role: ConsoleRole;
  readonly token: string;
}

type TokenFile =
  | { readonly ok: true; readonly rows: readonly TokenRow[] }
  | { readonly ok: false; readonly why: string };

const minTokenCharacters = 16;

/** Empty lines and lines that begin with # do not count. A problem names its line, never the token. */
export function parseTokenFile(text: string): TokenFile {
  const rows: TokenRow[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "" || words[0]?.startsWith("#") === true) continue;
    const [name = "", role = "", token = "", ...more] = words;
    const mistake = findCopyingMistake(token);
    const known = consoleRoles.find((one) => one === role);
    const why =
      token === "" || more.length > 0
        ? "expected `name role token`"
        : known === undefined
          ? `expected a role of ${consoleRoles.join(", ")}`
          : !/^[\w.@+-]{1,100}$/.test(name)
            ? "expected a name of letters, digits and . _ @ + -"
            : token.length < minTokenCharacters
              ? `expected a token of at least ${minTokenCharacters} characters`
              : mistake !== null
                ? `expected the token alone, got ${mistake}`
                : rows.some((row) => row.name === name)
                  ? "expected a name that no other line has"
                  : null;
    if (why !== null) return { ok: false, why: `line ${index + 1}: ${why}` };
    rows.push({ name, role: known ?? "viewer", token });
  }
  return rows.length === 0
    ? { ok: false, why: "expected at least one line `name role token`" }
    : { ok: true, rows };
}

/** Takes as long for each token, right or wrong. */
export function findToken(rows: readonly TokenRow[], given: string): TokenRow | null {
  let found: TokenRow | null = null;
  for (const row of rows) if (isSame(row.token, given)) found = row;
  return found;
}

/** Of any length, in a time that does not depend on where they differ. */
export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

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

/** A file that is rejected keeps the rows that it had. Throws `settings-invalid` if the first reading fails. */
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
