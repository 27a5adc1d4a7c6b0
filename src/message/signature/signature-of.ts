/** Dead letters with one signature failed alike: same status, same text but for varying parts. */
import { createHash } from "node:crypto";
import type { DeadLetter } from "../dead-letter.ts";
import { responseText } from "./response-text.ts";

export interface Signature {
  /** 12 hex digits of a SHA-256 over status and text: the same in every process at any time. */
  readonly key: string;
  /** `none`: there was no HTTP answer. */
  readonly status: number | "none";
  /** At most 120 characters, printable; without e-mail address, URL, or anything like a token. */
  readonly text: string;
}

const maxCharacters = 120;

/** Pure, and never throws. */
export function signatureOf(letter: DeadLetter): Signature {
  const status = letter.responseStatus ?? "none";
  const text = cut(responseText(letter));
  const key = createHash("sha256").update(`${status}\n${text}`).digest("hex").slice(0, 12);
  return { key, status, text };
}

function cut(text: string): string {
  if (text.length <= maxCharacters) return text;
  // Without a placeholder that the cut goes through, and without half of a surrogate pair.
  const head = text.slice(0, maxCharacters - 1).replace(/<[a-z]*$/, "");
  return `${head.replace(/\p{Cs}$/u, "")}…`;
}
