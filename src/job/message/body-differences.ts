import { isObject } from "./json-value.ts";
import { parsePointer, toPointer } from "./json-pointer.ts";
import { toShownToken, type Show } from "./show-masked-values.ts";

export interface BodyDifference {
  readonly pointer: string;
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * The differences of two JSON values, in document order, without recursion. Objects and arrays of one length
 * are compared member by member; anything else is one difference. Ends after `max` differences.
 */
export function differencesOf(
  before: unknown,
  after: unknown,
  max: number,
  show: Show,
): readonly BodyDifference[] {
  const differences: BodyDifference[] = [];
  const open: BodyDifference[] = [{ pointer: "", before, after }];
  for (let one = open.pop(); one !== undefined && differences.length < max; one = open.pop()) {
    const names = namesOf(one.before, one.after);
    if (names === null) {
      if (!Object.is(one.before, one.after)) {
        const tokens = parsePointer(one.pointer) ?? [];
        differences.push({ ...one, pointer: toPointer(tokens.map((token) => toShownToken(token, show))) });
      }
      continue;
    }
    for (const token of names.toReversed()) {
      open.push({
        pointer: one.pointer + toPointer([token]),
        before: memberOf(one.before, token),
        after: memberOf(one.after, token),
      });
    }
  }
  return differences;
}

function namesOf(before: unknown, after: unknown): readonly string[] | null {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length ? Object.keys(before) : null;
  }
  if (!isObject(before) || !isObject(after)) return null;
  return [...new Set([...Object.keys(before), ...Object.keys(after)])];
}

function memberOf(value: unknown, token: string): unknown {
  return Object.hasOwn(value as object, token) ? (value as Record<string, unknown>)[token] : undefined;
}
