import { isReadable, isWord, looksSecret } from "../secret-looking.ts";
import { maxRead, oncePerShape } from "./once-per-shape.ts";

/**
 * A text with placeholders for everything that is private, or that differs from one failure to the next:
 *
 *   <text> quoted   <url>   <email>   <ip>   <time>   <secret> behind token=, password: …   <id>   <hex>   <n>
 *
 * Patterns repeat a bounded number of times or are taken from a word's start, so the cost is linear in the
 * text. A letter word stays; one that no person would write (long, or of mixed case without being CamelCase)
 * is an <id>, because it may be a token.
 */
const uncommonCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const placeholders: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/"[^"]{0,500}"|`[^`]{0,500}`|“[^”]{0,500}”/g, "<text>"],
  // An apostrophe opens a quotation only at the start of a word, so that "can't" is none.
  [/(?<=^|[\s(=:,[{])'[^']{0,500}'(?=$|[\s).,;:\]}!?])/g, "<text>"],
  [/\b[a-z][a-z0-9+.-]{0,15}:\/\/[^\s<>]+/gi, "<url>"],
  // All pairs of a cookie header, then the value behind the name of a secret.
  [
    /(?<=\bcookies?\s{0,4}:\s{0,4})[^\s;,=<>]{1,100}=[^\s;,]*(?:;\s{0,4}[^\s;,=<>]{1,100}=[^\s;,]*)*/gi,
    "<secret>",
  ],
  [secretValue(), "<secret>"],
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

/** `token=`, `password: `, `X-Api-Key => `. Databases write `Key: (id)`, so `key` needs an equals sign. */
function secretValue(): RegExp {
  const names = [
    "(?:token|secret|passw(?:or)?d|passphrase|pwd|api[-_ ]?key|(?:access|private|signing|encryption)[-_ ]?key|authorization|cookie",
    "session|signature|credential|jwt|csrf)[\\w-]{0,16}",
    "\\b(?:sid|sig|otp|pin|auth|key(?=\\s{0,4}=))",
  ].join("|");
  const scheme = "(?:bearer|basic|digest|token|apikey|negotiate|hmac|aws4-hmac-sha256)\\s{1,4}";
  return new RegExp(`(?<=(?:${names})\\s{0,4}(?:=>?|:)\\s{0,4})(?:${scheme})?[^\\s<>,;&=][^\\s<>,;&]*`, "gi");
}

/** A cut text without its last word: half a token is no longer recognised as one. For short texts. */
export function withoutLastWord(text: string): string {
  return text.replace(/\S+$/, "");
}

/** Never throws. Short texts of one shape are worked out once: each message may have its own id in it. */
export function normaliseText(text: string): string {
  return text.length <= maxRead ? normaliseOnce(text) : normaliseNew(text);
}

const normaliseOnce = oncePerShape(normaliseNew);

function normaliseNew(text: string): string {
  let result = withoutCredentials(text.replaceAll(uncommonCharacters, " "));
  for (const [pattern, placeholder] of placeholders) result = result.replaceAll(pattern, placeholder);
  return (
    result
      // The parts of an address may hold signs that end other words: user:password@host is one.
      .replaceAll(/[^\s<>"“”,;()[\]]+/g, (word) => (word.includes("@") ? "<email>" : word))
      .replaceAll(/<(?:text|url|secret|id|time|email)>|[^\s<>()[\]{},;"'`|]+/g, normaliseWord)
      .replaceAll(/<(<[a-z]+>)>/g, "$1")
      // A list of one kind reads the same at any length.
      .replaceAll(/(<[a-z]+>)(?:[\s,;]+\1)+/g, "$1")
      .replaceAll(/\s+/g, " ")
      .trim()
  );
}

const prose = new Set(
  (
    "a access an and are auth authentication authorisation authorization cannot challenge check credential credentials error expired " +
    "failed for format has header http https in invalid is malformed missing must not of only or realm required scheme should the to " +
    "token tokens type unsupported validation was with"
  ).split(" "),
);

/** `Bearer <secret>` for a credential of any form; after a lower-case `basic` only texts that are no word. */
function withoutCredentials(text: string): string {
  return text.replaceAll(
    /\b(bearer|basic)(\s{1,4}|%20|\s{0,4}[:=]\s{0,4})([^\s<>,;"'`]+)/gi,
    (whole: string, scheme: string, gap: string, value: string) => {
      const isProse =
        prose.has(value.toLowerCase().replace(/\P{L}{1,3}$/u, "")) ||
        (scheme === "basic" && /^[a-z]+\W*$/.test(value));
      return isProse ? whole : `${scheme}${gap}<secret>`;
    },
  );
}

function normaliseWord(word: string): string {
  if (word.startsWith("<")) return word;
  if (word.includes("://")) return "<url>";
  const [, core = "", tail = ""] =
    /^([^]*?)([.:!?]{0,3})$/.exec(word.length > 500 ? word.slice(0, 500) : word) ?? [];
  if (isAddress(core)) return `<ip>${tail}`;
  const isPath = core.startsWith("/");
  const parts = core.split(isPath ? /([/:&|?#]+|=+(?=[^=]))/ : /([:&|?#]+|=+(?=[^=]))/);
  return (
    parts
      .map((part) => normalisePart(part, isPath))
      .join("")
      .replaceAll(joinedPlaceholders, merged) + tail
  );
}

/** A possible secret and an unreadable step of a path are replaced whole; otherwise only varying parts. */
function normalisePart(part: string, isPath: boolean): string {
  const segments = part.split(/([^\p{L}\p{M}\p{Nd}]+)/u);
  if (segments.length > 1 && (looksSecret(part) || (isPath && !isReadable(part)))) return "<id>";
  return segments
    .map((segment) => (isPath && !isReadable(segment) ? "<id>" : normaliseSegment(segment)))
    .join("");
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

function normaliseSegment(segment: string): string {
  if (/^\p{Nd}+$/u.test(segment)) return "<n>";
  if (/^(?:0x)?[0-9a-f]{8,}$/i.test(segment) && (/\d/.test(segment) || segment.length >= 12)) return "<hex>";
  if (/\p{Nd}/u.test(segment)) {
    const runs = segment.match(/\p{Nd}+/gu)?.length ?? 0;
    return segment.length >= 8 || runs > 1 ? "<id>" : segment.replaceAll(/\p{Nd}+/gu, "<n>");
  }
  return isWord(segment) ? segment : "<id>";
}
