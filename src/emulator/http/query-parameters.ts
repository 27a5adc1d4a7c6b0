/**
 * The values of one query parameter, repeated and comma separated alike; undefined where none is given. Empty ones count as not
 * given; blanks, and commas with nothing between them, are values, which find nothing.
 */
export function severalValues(given: readonly string[], separator: RegExp): string[] | undefined {
  const values = given.flatMap((value) => splitValue(value, separator));
  return values.length === 0 ? undefined : values;
}

function splitValue(value: string, separator: RegExp): string[] {
  if (value === "") return [];
  const parts = value.split(separator).filter((part) => part !== "");
  return parts.length === 0 ? [value] : parts.map((part) => part.trim() || part);
}
