/**
 * Values of a record for people: safe for a terminal and of bounded length; on request without their content.
 */

/** `masked` is without header values, bodies, and parts of URLs that may be a secret (shown-url.ts). */
export type Show = "masked" | "content";

const maxCharacters = 200;

/** Spells out control, format and separator characters and halves of pairs. Cuts after 200 characters. */
export function toPrintable(text: string): string {
  const cut = text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters)}…`;
  return cut.replaceAll(
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

/** A JSON value: as JSON, or its type and its number of members. */
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
