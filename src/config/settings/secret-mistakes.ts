import { parseJson } from "../../job/message/json-value.ts";

const variable = /^\s*(?:export\s+|set\s+)?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\s*=/;
/** What else a secret is called. "=" alone behind it is the padding of base64. */
const wordAndSign = /^\s*(?:export\s+|set\s+)?(?:[\w-]*[_-])?(?:token|secret|key|password)\s*=(?!=*\s*$)/i;

/** As "got …" of a message. A password may have quotes and "=" anywhere, so only what is clear counts. */
export function findCopyingMistake(text: string): string | null {
  if (text.startsWith("\ufeff")) return "a byte order mark before it";
  if (variable.test(text) || wordAndSign.test(text)) return "a name and = before it";
  if (/^\s*[\w-]+:\s/.test(text)) return "a name and : before it";
  if (/^\s*bearer\s/i.test(text)) return "the word Bearer before it";
  if (
    /^\s*(?:<[^<>]*>|<%[^]*%>|\$\{[^]*\}|\$\([^]*\)|\{\{[^]*\}\}|%[A-Z_]\w*%|\$[A-Z]\w*_\w*)\s*$/.test(text)
  )
    return "a placeholder, which nothing fills in";
  if (/^\s*[[{]/.test(text) && parseJson(text) !== undefined) return "JSON around it";
  return /^\s*(?:"[^]*"|'[^]*'|`[^]*`|[\u2018\u201c\u201e\u00ab][^]*[\u2019\u201d\u00bb])\s*$/.test(text)
    ? "quotes around it"
    : null;
}

/** What a token of the service never ends with; a key of one's own may. */
export function findSemicolon(text: string): string | null {
  return text.endsWith(";") ? "a semicolon behind it" : null;
}

/** What cannot stand in a header's value without doubt, likewise; null if there is none. */
export function findUnfitCharacter(text: string): string | null {
  if (/[\r\n\u2028\u2029]/.test(text)) return "a line break inside";
  if (/\s/.test(text)) return "a space";
  if (/\p{Cc}/u.test(text)) return "a control character";
  return /^[\u0021-\u007e]*$/.test(text) ? null : "a character that is not ASCII";
}
