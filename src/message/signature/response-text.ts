/**
 * The part of a stored response that explains the failure: the error fields of JSON, the title of HTML, the
 * text of XML, or the text itself. Reads only the first 4,096 characters, so a body of 1 MB costs as much as
 * one of 4 KB.
 */
import type { DeadLetter } from "../dead-letter.ts";
import { jsonErrorText } from "./json-error-text.ts";
import { normaliseText, withoutLastWord } from "./normalise-text.ts";

const maxRead = 4_096;
const maxTitle = 500;

/** Normalised; of any length up to the limit of reading. Never throws. */
export function responseText({ responseBody, responseBodyBase64 }: DeadLetter): string {
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
