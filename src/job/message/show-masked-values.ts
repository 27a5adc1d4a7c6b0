import { isReadable, looksSecret } from "./secret-looking.ts";

/** All are safe for a terminal and bounded. `masked`: without what may be a secret or content. */
export type Show = "masked" | "content";

const maxCharacters = 200;

export function toPrintable(text: string): string {
  return toSpelledOut(text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`);
}

export function toPrintableLines(text: string, maxLength: number): string {
  const cut = text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
  return cut.split(/\r?\n/).map(toSpelledOut).join("\n");
}

/** The same for what a program prints: of any length, with its own line ends. */
export function toSafeOutput(text: string): string {
  return text.split("\n").map(toSpelledOut).join("\n");
}

export function toSpelledOut(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`,
  );
}

export function toShownHeader(value: string, show: Show): string {
  return show === "content" ? toPrintable(value) : "***";
}

export function toShownText(text: string, show: Show): string {
  return show === "content" ? toPrintable(text) : `${text.length} characters`;
}

export function toShownJson(value: unknown, show: Show): string {
  if (show === "content") return toPrintable(toJson(value));
  if (Array.isArray(value)) return `array of ${value.length}`;
  if (value === null) return "null";
  if (typeof value === "object") return `object of ${Object.keys(value).length}`;
  return typeof value;
}

/** One token of a pointer. A member's name can be content too, so masked names are plain words or indexes. */
export function toShownToken(token: string, show: Show): string {
  if (show === "content") return token;
  return /^(?:[A-Za-z_$][\w$.-]{0,39}|\d{1,6})$/.test(token) ? token : "***";
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return "(nested too deep to be written)";
  }
}

const mask = "***";
/** As many digits as cards and telephones have, or an id that nobody can guess. */
const numberOrUuid = /\p{Nd}{13}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/iu;
/** At most 200 characters are shown, so no more parts than these are read. */
const maxSegments = 250;
const maxParameters = 250;

/** `***` replaces what may be a secret or name a person. Linear; never throws on any text. */
export function toShownUrl(url: string, show: Show): string {
  if (show === "content") return toPrintable(url);
  const [beforeFragment, hasFragment] = cutAt(url, "#");
  const [head, hasQuery] = cutAt(beforeFragment, "?");
  const scheme = /^(?:[A-Za-z][A-Za-z0-9+.-]{0,30}:)?\/\//.exec(head)?.[0] ?? "";
  const rest = head.slice(scheme.length);
  const authority = scheme === "" ? "" : cutAt(rest, "/")[0];
  return toPrintable(
    scheme +
      toShownAuthority(authority) +
      toShownPath(rest.slice(authority.length)) +
      (hasQuery ? `?${toShownQuery(beforeFragment.slice(head.length + 1))}` : "") +
      (hasFragment ? `#${mask}` : ""),
  );
}

/** Host and port. A password may contain the signs that end a host, so any other text is hidden. */
function toShownAuthority(authority: string): string {
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const isHost = /^(?:(?:[\p{L}\p{M}\p{Nd}_.-]|%[0-9a-f]{2})*|\[[0-9a-f:.]{2,45}\])(?::\d{0,5})?$/iu.test(
    host,
  );
  return `${at === -1 ? "" : `${mask}@`}${isHost ? host : mask}`;
}

function toShownPath(path: string): string {
  const segments = path.split("/", maxSegments);
  return segments
    .map((segment, index) => toShownSegment(segment, secretName.test(segments[index - 1] ?? "")))
    .join("/");
}

/** `isNamed`: the segment before names a secret. Then only plain words are shown (`/token/refresh`). */
function toShownSegment(segment: string, isNamed: boolean): string {
  const [text] = cutAt(segment, "=");
  const word = toDecoded(text);
  const isHidden = isTelling(word) || (isNamed && !(isReadable(word) && /^[^\p{Nd}]*$/u.test(word)));
  return `${isHidden ? mask : text}${text === segment ? "" : `=${mask}`}`;
}

function isTelling(word: string): boolean {
  if (word.includes("@") || numberOrUuid.test(word) || looksSecret(word)) return true;
  // A key may stand between a name and an ending: `id:KEY.json`.
  return (word.match(/[A-Za-z0-9+_-]{16,}/g) ?? []).some(looksSecret);
}

const secretName =
  /^(?:[a-z]{0,10}[-_]?(?:tokens?|secrets?|keys?|passwords?|credentials?|sessions?|signatures?|invites?))$/i;

function toShownQuery(query: string): string {
  const parameters = query.split(/[&;]/, maxParameters);
  return parameters.map(toShownParameter).join("&");
}

/** A parameter without `=` may be a value as well as a name. */
function toShownParameter(parameter: string): string {
  const [name, hasValue] = cutAt(parameter, "=");
  if (!hasValue) return parameter === "" ? "" : mask;
  const word = toDecoded(name);
  const isPlain = /^[A-Za-z_$][\w$.[\]-]{0,39}$/.test(word) && !isTelling(word);
  return `${isPlain ? word : mask}=${parameter.length === name.length + 1 ? "" : mask}`;
}

function cutAt(text: string, sign: string): readonly [before: string, isThere: boolean] {
  const at = text.indexOf(sign);
  return at === -1 ? [text, false] : [text.slice(0, at), true];
}

/** As people read it; the same if it does not decode. */
export function toDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
