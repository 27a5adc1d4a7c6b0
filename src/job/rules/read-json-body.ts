import { endOfString } from "../message/json-losses.ts";
import { isTooMuchJson, parseJson, type JsonValue } from "../message/json-value.ts";

export const maxJsonDepth = 1_000;

/** The JSON value of a body; undefined for any other text, and beyond the limits above. Never throws. */
export function toJson(text: string): JsonValue | undefined {
  if (text === "" || isTooMuchJson(text) || isDeep(text)) return undefined;
  return parseJson(text) as JsonValue | undefined;
}

/** A linear scan of brackets outside strings. For a text that is no JSON the answer does not matter. */
function isDeep(text: string): boolean {
  // Most texts have fewer brackets than a depth that matters, and indexOf finds them at next to no cost.
  if (!hasMany(text, "[") && !hasMany(text, "{")) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index) - 1;
    else if (code === bracket || code === brace) {
      if (++depth > maxJsonDepth) return true;
    } else if (code === closingBracket || code === closingBrace) depth--;
  }
  return false;
}

function hasMany(text: string, opening: "[" | "{"): boolean {
  let at = -1;
  for (let count = 0; count <= maxJsonDepth / 2; count++) {
    at = text.indexOf(opening, at + 1);
    if (at === -1) return false;
  }
  return true;
}

const quote = 0x22;
const bracket = 0x5b;
const closingBracket = 0x5d;
const brace = 0x7b;
const closingBrace = 0x7d;
