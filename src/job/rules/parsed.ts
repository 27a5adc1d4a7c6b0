/** The result of parsing one value; `expected` completes the sentence "expected …, got <the value>". */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly expected: string;
      /** A path inside the value; absent: the value itself. */
      readonly at?: readonly (string | number)[];
      readonly also?: readonly Mismatch[];
    };

export interface Mismatch {
  readonly expected: string;
  readonly at?: readonly (string | number)[];
}

const maxMembers = 1_000;

export function parseEach<T>(
  list: readonly unknown[],
  parseOne: (value: unknown) => Parsed<readonly T[]>,
): Parsed<readonly T[]> {
  if (list.length > maxMembers) return { ok: false, expected: `at most ${maxMembers} values in a list` };
  const parsed: T[] = [];
  const mismatches: Mismatch[] = [];
  for (const [index, item] of list.entries()) {
    const member = parseOne(item);
    if (member.ok) parsed.push(...member.value);
    else mismatches.push(...mismatchesOf(member, index));
  }
  const [first, ...also] = mismatches;
  return first === undefined ? { ok: true, value: parsed } : { ok: false, ...first, also };
}

export function mismatchesOf(
  { expected, at = [], also = [] }: Extract<Parsed<unknown>, { ok: false }>,
  segment?: string | number,
): readonly Mismatch[] {
  const front = segment === undefined ? [] : [segment];
  return [{ expected, at }, ...also].map((mismatch) => ({
    expected: mismatch.expected,
    at: [...front, ...(mismatch.at ?? [])],
  }));
}

export function orExpected<T>(value: T | null, expected: string): Parsed<T> {
  return value === null ? { ok: false, expected } : { ok: true, value };
}
