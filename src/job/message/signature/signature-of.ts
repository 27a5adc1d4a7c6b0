/** Dead letters with one signature failed alike: same status, same text but for varying parts. */
import { createHash } from "node:crypto";
import type { DeadLetter } from "../dead-letter.ts";
import { oncePerText } from "../once-per-text.ts";
import { jsonErrorText } from "./json-error-text.ts";
import { normaliseText, withoutLastWord } from "./normalise-text.ts";
import { maxRead, oncePerShape } from "./once-per-shape.ts";

export interface Signature {
  /** 12 hex digits of a SHA-256 over status and text: the same in every process at any time. */
  readonly key: string;
  readonly status: number | "none";
  /** At most 120 characters, printable; without e-mail address, URL, or anything like a token. */
  readonly text: string;
}

const maxCharacters = 120;

const keyOf = oncePerText(2_000, 2 * maxCharacters, (text) =>
  createHash("sha256").update(text).digest("hex").slice(0, 12),
);

export function signatureOf(
  letter: Pick<DeadLetter, "responseBody" | "responseBodyBase64"> & {
    readonly responseStatus?: number | undefined;
  },
): Signature {
  const status = letter.responseStatus ?? "none";
  const text = signatureTextOf(letter);
  return { key: keyOf(`${status}\n${text}`), status, text };
}

export function signatureTextOf({
  responseBody,
  responseBodyBase64,
}: Pick<DeadLetter, "responseBody" | "responseBodyBase64">): string {
  if (responseBodyBase64 !== "") return "(binary)";
  if (responseBody === "") return "(empty)";
  return textOfLast(responseBody);
}

const textOfLast = rememberLast(8, maxRead, (responseBody) =>
  isReadWithoutShape(responseBody) ? toText(responseBody) : textOf(responseBody),
);

/** Longer JSON is parsed sooner than its shape is found. */
const maxJsonShape = 1_024;

/** Markup and long JSON: few of their characters are normalised. */
function isReadWithoutShape(body: string): boolean {
  const first = /^\s{0,20}([<"{[])/.exec(body)?.[1];
  return first === "<" || (first !== undefined && body.length > maxJsonShape);
}

function toText(responseBody: string): string {
  return cut(responseText(responseBody));
}

const textOf = oncePerShape(toText);

function cut(text: string): string {
  if (text.length <= maxCharacters) return text;
  // Without a placeholder that the cut goes through, and without half of a surrogate pair.
  const head = text.slice(0, maxCharacters - 1).replace(/<[a-z]*$/, "");
  return `${head.replace(/\p{Cs}$/u, "")}…`;
}

const maxTitle = 500;

/** The error fields of JSON, the title of HTML, the text of XML, or the text itself, normalised. */
function responseText(responseBody: string): string {
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
  for (let at = maxRead - 1; at > maxRead / 2; at -= 1) {
    if (" \n\t,".includes(head[at]!)) return head.slice(0, at);
  }
  return head;
}

/** An outage gives the same few answers, and to compare a text costs a tenth of a lookup, which hashes it first. */
function rememberLast(
  few: number,
  maxLength: number,
  make: (text: string) => string,
): (text: string) => string {
  const texts: string[] = [];
  const values: string[] = [];
  let next = 0;
  return (text) => {
    for (let at = 0; at < texts.length; at += 1) if (texts[at] === text) return values[at]!;
    const value = make(text);
    if (text.length > maxLength) return value;
    texts[next] = text;
    values[next] = value;
    next = (next + 1) % few;
    return value;
  };
}
