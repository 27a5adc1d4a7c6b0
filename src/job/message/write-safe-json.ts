/** Without characters that a terminal would act on. What is nested too deep becomes a short text. */
export function toSafeJson(value: object): string {
  return toEscapedJson(toText(value));
}

export function toEscapedJson(json: string): string {
  return json.replaceAll(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** Any value of a record as text. An object may have a `toString` that is none. */
export function toAnyText(value: unknown): string {
  return typeof value === "object" && value !== null ? toSafeJson(value) : String(value);
}

/** Of a parked record's line or an archive's entry: the line, its record, the record's fields. */
const membersLookedInto = 3;

function toText(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(withoutDeep(value, membersLookedInto));
  }
}

function withoutDeep(value: unknown, levels: number): unknown {
  if (!isNestedTooDeep(value)) return value;
  if (levels === 0 || Array.isArray(value)) return "(nested too deep to be written)";
  return Object.fromEntries(
    Object.entries(value as object).map(([name, inner]) => [name, withoutDeep(inner, levels - 1)]),
  );
}

/**
 * Writer and reader of JSON take some thousands, and fewer if the stack is deep already: near that limit a
 * value would be written at one place and not at another. No record that anybody sent has a tenth of this.
 */
export const maxNestedLevels = 512;

/** True for more levels of arrays and objects than that. Without recursion, so safe at any depth. */
export function isNestedTooDeep(value: unknown): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxNestedLevels) return true;
    level = level.flatMap((one) => Object.values(one).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
