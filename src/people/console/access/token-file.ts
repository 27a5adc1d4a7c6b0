/** The file of `console.auth: token`: a line `name role token` for each person or program. */
import { createHash, timingSafeEqual } from "node:crypto";
import { findCopyingMistake } from "../../../config/settings/secret-mistakes.ts";
import { consoleRoles, type ConsoleRole } from "../../../job/contracts/console-roles.ts";

export interface TokenRow {
  readonly name: string;
  readonly role: ConsoleRole;
  readonly token: string;
}

export type TokenFile =
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
