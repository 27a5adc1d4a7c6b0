/** What a parser of one value found; `expected` completes the sentence "expected …, got <the value>". */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly expected: string };

/** Parses one value, or each of a list (a list is or). The first member that does not parse speaks for the list. */
export function parseOneOrMany<T>(
  value: unknown,
  parseOne: (value: unknown) => T | null,
  expected: string,
): Parsed<readonly T[]> {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) return { ok: false, expected: `${expected}, or a list of at least one` };
  const parsed: T[] = [];
  for (const item of list) {
    const one = parseOne(item);
    if (one === null) return { ok: false, expected };
    parsed.push(one);
  }
  return { ok: true, value: parsed };
}
