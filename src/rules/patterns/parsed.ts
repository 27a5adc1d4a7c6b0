/** What a parser of one value found; `expected` completes the sentence "expected …, got <the value>". */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly expected: string;
      /** Where inside the value; absent: the value itself. */
      readonly at?: readonly (string | number)[];
      /** What else is wrong with it. */
      readonly also?: readonly Misfit[];
    };

export interface Misfit {
  readonly expected: string;
  readonly at?: readonly (string | number)[];
}

/** One of the forms `{ name: … }` of a pattern. */
export type FormParser<T> = (value: unknown) => Parsed<readonly T[]>;
export type Forms<T> = Readonly<Record<string, FormParser<T>>>;

const mostPatterns = 1_000;

/** Parses one value, or each of a list (a list is or). */
export function parseOneOrMany<T>(
  value: unknown,
  parseOne: (value: unknown) => Parsed<readonly T[]>,
  expected: string,
): Parsed<readonly T[]> {
  if (!Array.isArray(value)) return parseOne(value);
  if (value.length === 0) return { ok: false, expected: `${expected}, or a list of at least one` };
  return parseEach(value, parseOne);
}

/** Parses each member of a list of at most 1,000. */
export function parseEach<T>(
  list: readonly unknown[],
  parseOne: (value: unknown) => Parsed<readonly T[]>,
): Parsed<readonly T[]> {
  if (list.length > mostPatterns) return { ok: false, expected: `at most ${mostPatterns} values in a list` };
  const parsed: T[] = [];
  const misfits: Misfit[] = [];
  for (const [index, item] of list.entries()) {
    const member = parseOne(item);
    if (member.ok) parsed.push(...member.value);
    else misfits.push(...misfitsOf(member, index));
  }
  const [first, ...also] = misfits;
  return first === undefined ? { ok: true, value: parsed } : { ok: false, ...first, also };
}

/** All that is wrong, with places inside a value that has this one at `segment`. */
export function misfitsOf(
  { expected, at = [], also = [] }: Extract<Parsed<unknown>, { ok: false }>,
  segment?: string | number,
): readonly Misfit[] {
  const front = segment === undefined ? [] : [segment];
  return [{ expected, at }, ...also].map((misfit) => ({
    expected: misfit.expected,
    at: [...front, ...(misfit.at ?? [])],
  }));
}

/** A mapping with exactly one of the forms' names. */
export function parseForm<T>(value: object, forms: Forms<T>): Parsed<readonly T[]> {
  const keys = Object.keys(value);
  const names = Object.keys(forms).join(", ");
  const [key] = keys;
  const parse = key !== undefined && Object.hasOwn(forms, key) ? forms[key] : undefined;
  if (key === undefined || keys.length !== 1 || parse === undefined) {
    return { ok: false, expected: `a mapping with exactly one of ${names}` };
  }
  const parsed = parse((value as Readonly<Record<string, unknown>>)[key]);
  if (parsed.ok) return parsed;
  const [first, ...also] = misfitsOf(parsed, key);
  return { ok: false, expected: first?.expected ?? "", at: first?.at ?? [], also };
}

export function one<T>(pattern: T): Parsed<readonly T[]> {
  return { ok: true, value: [pattern] };
}

/** `{ exists: true }` is any value, `{ exists: false }` is none. */
export function parseExists(
  value: unknown,
): Parsed<readonly ({ readonly kind: "some" } | { readonly kind: "none" })[]> {
  if (typeof value !== "boolean") return { ok: false, expected: "true or false" };
  return one({ kind: value ? "some" : "none" });
}
