/**
 * A text with everything that differs from one failure to the next, or is nobody's business, put as a placeholder:
 *
 *   <text> quoted   <url>   <email>   <ip>   <time>   <secret> behind token=, password: …   <id>   <hex>   <n>
 *
 * Patterns repeat a bounded number of times or are taken from a word's start, so the cost is linear in the text. A letter word
 * stays; one that no person would write (long, or of mixed case without being CamelCase) is an <id>, because it may be a token.
 */
const uncommonCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const placeholders: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/"[^"]{0,500}"|`[^`]{0,500}`|“[^”]{0,500}”/g, "<text>"],
  // An apostrophe opens a quotation only at the start of a word, so that "can't" is none.
  [/(?<=^|[\s(=:,[{])'[^']{0,500}'(?=$|[\s).,;:\]}!?])/g, "<text>"],
  [/\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s<>]+/gi, "<url>"],
  [
    /(?<=\b[\w-]{0,32}(?:token|secret|passw(?:or)?d|pwd|api[-_]?key|authorization|cookie|session|signature)\s{0,4}[=:]\s{0,4})(?:(?:bearer|basic)\s{1,4})?[^\s<>,;&]+/gi,
    "<secret>",
  ],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<id>"],
  [
    /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?(?:Z| ?[+-]\d\d:?\d\d)?(?: UTC| GMT)?/g,
    "<time>",
  ],
  [
    /\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6},? (?:\d{1,2} [a-z]{3,9}|[a-z]{3,9} \d{1,2}),?(?: \d{4})?(?: \d\d:\d\d:\d\d)?(?: \d{4})?(?: (?:gmt|utc|[+-]\d{4}))?/gi,
    "<time>",
  ],
  [/\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?![\d:])/g, "<time>"],
];

/** White space is collapsed; length is the caller's business. Never throws. */
export function normaliseText(text: string): string {
  let result = text.replaceAll(uncommonCharacters, " ");
  for (const [pattern, placeholder] of placeholders) result = result.replaceAll(pattern, placeholder);
  return (
    result
      .replaceAll(/<(?:text|url|secret|id|time)>|[^\s<>()[\]{},;"'`|]+/g, normaliseWord)
      .replaceAll(/<(<[a-z]+>)>/g, "$1")
      // A list of one kind reads the same however long it is.
      .replaceAll(/(<[a-z]+>)(?:[\s,;]+\1)+/g, "$1")
      .replaceAll(/\s+/g, " ")
      .trim()
  );
}

function normaliseWord(word: string): string {
  if (word.startsWith("<")) return word;
  if (word.includes("@")) return "<email>";
  if (word.includes("://")) return "<url>";
  const [, core = "", tail = ""] =
    /^([^]*?)([.:!?]{0,3})$/.exec(word.length > 500 ? word.slice(0, 500) : word) ?? [];
  if (isAddress(core)) return `<ip>${tail}`;
  const parts = core.split(/([^\p{L}\p{M}\p{Nd}]+)/u);
  if (parts.length > 1 && isOpaque(core)) return `<id>${tail}`;
  return parts.map(normaliseSegment).join("").replaceAll(joinedPlaceholders, merged) + tail;
}

const joinedPlaceholders = /<(?:id|hex|n)>(?:[^\p{L}\s<>]{0,3}<(?:id|hex|n)>)+/gu;

/** Numbers joined to numbers are a number (a version, a decimal); anything else joined is one id. */
function merged(run: string): string {
  return /<(?:id|hex)>/.test(run) ? "<id>" : "<n>";
}

function isAddress(word: string): boolean {
  if (/^\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?$/.test(word)) return true;
  return /^[0-9a-f:.]{2,64}(?:\/\d{1,3})?$/i.test(word) && word.split(":").length > 2;
}

/** Long, and of upper case, lower case and digits between base64's signs: no word of any language. */
function isOpaque(word: string): boolean {
  return (
    word.length >= 20 &&
    /^[A-Za-z0-9+/_=-]+$/.test(word) &&
    /[A-Z]/.test(word) &&
    /[a-z]/.test(word) &&
    /\d/.test(word)
  );
}

function normaliseSegment(segment: string): string {
  if (/^\p{Nd}+$/u.test(segment)) return "<n>";
  if (/^(?:0x)?[0-9a-f]{8,}$/i.test(segment) && (/\d/.test(segment) || segment.length >= 12)) return "<hex>";
  if (/\p{Nd}/u.test(segment)) {
    const runs = segment.match(/\p{Nd}+/gu)?.length ?? 0;
    return segment.length >= 8 || runs > 1 ? "<id>" : segment.replaceAll(/\p{Nd}+/gu, "<n>");
  }
  return isWord(segment) ? segment : "<id>";
}

/** Letters that a person may have written: short, of one case and not too long, of a script without case, or CamelCase. */
function isWord(segment: string): boolean {
  if (segment.length < 12 || /\p{Lo}/u.test(segment)) return true;
  if (segment.length <= 24 && /^(?:\p{Lu}?[^\p{Lu}]*|\p{Lu}+)$/u.test(segment)) return true;
  // The words of a name have four letters and more on average, and at most one is an acronym; a token's are shorter.
  const capitals = segment.match(/\p{Lu}+/gu) ?? [];
  const acronyms = capitals.filter((run) => run.length > 2);
  return (
    segment.length <= 60 &&
    capitals.length * 4 <= segment.length &&
    acronyms.length <= 1 &&
    /^\p{Ll}*(?:\p{Lu}+\p{Ll}+)+$/u.test(segment)
  );
}
