/** Dead letters with one signature failed alike: same status, same text but for varying parts. */
import { createHash } from "node:crypto";
import type { DeadLetter } from "../../../src/job/message/dead-letter.ts";
import { oncePerText } from "../../../src/job/message/once-per-text.ts";
import { jsonErrorText } from "./json-error-text.ts";
import { normaliseText, withoutLastWord } from "./normalise-text.ts";

export interface Signature {
  /** 12 hex digits of a SHA-256 over status and text: the same in every process at any time. */
  readonly key: string;
  /** `none`: there was no HTTP answer. */
  readonly status: number | "none";
  /** At most 120 characters, printable; without e-mail address, URL, or anything like a token. */
  readonly text: string;
}

const maxCharacters = 120;

/** There are few kinds of failure, or one for each message. */
const keyOf = oncePerText(2_000, 2 * maxCharacters, (text) =>
  createHash("sha256").update(text).digest("hex").slice(0, 12),
);

/** Pure, and never throws. */
export function signatureOf(
  letter: Pick<DeadLetter, "responseStatus" | "responseBody" | "responseBodyBase64">,
): Signature {
  const status = letter.responseStatus ?? "none";
  const text = cut(responseText(letter));
  return { key: keyOf(`${status}\n${text}`), status, text };
}

function cut(text: string): string {
  if (text.length <= maxCharacters) return text;
  // Without a placeholder that the cut goes through, and without half of a surrogate pair.
  const head = text.slice(0, maxCharacters - 1).replace(/<[a-z]*$/, "");
  return `${head.replace(/\p{Cs}$/u, "")}…`;
}

/** Characters of a body that are read, so that 1 MB costs as much as 4 KB. */
const maxRead = 4_096;
const maxTitle = 500;

/**
 * The part of a stored response that explains the failure, normalised: the error fields of JSON, the title of
 * HTML, the text of XML, or the text itself.
 */
function responseText({
  responseBody,
  responseBodyBase64,
}: Pick<DeadLetter, "responseBody" | "responseBodyBase64">): string {
  if (responseBodyBase64 !== "") return "(binary)";
  const head = headOf(responseBody).trim();
  if (head === "") return "(empty)";
  const json = /^["{[]/.test(head) ? jsonErrorText(head, responseBody.length <= maxRead) : null;
  if (json !== null) return json;
  if (!head.startsWith("<")) return normaliseText(head) || "(unprintable)";
  if (/<(?:!doctype html|html|head|title|body)[\s>]/i.test(head)) {
    const title = /<title[^<>]{0,200}>([^<]{0,500})/i.exec(head)?.[1] ?? "";
    return normaliseText(title.length < maxTitle ? title : withoutLastWord(title)) || "(html)";
  }
  return normaliseText(head.replaceAll(/<[^<>]{0,300}>/g, " ")) || "(markup)";
}

/** Without the word that the cut goes through: half a token is no longer recognised as one. */
function headOf(body: string): string {
  if (body.length <= maxRead) return body;
  const head = body.slice(0, maxRead);
  const lastSpace = Math.max(...[" ", "\n", "\t", ","].map((space) => head.lastIndexOf(space)));
  return lastSpace > maxRead / 2 ? head.slice(0, lastSpace) : head;
}
