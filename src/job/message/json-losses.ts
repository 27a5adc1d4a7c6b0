import { toDecimal } from "./decimal.ts";
import { toIndex } from "./json-pointer.ts";
import { isObject } from "./json-value.ts";
import type { PolicyLoss } from "./loss-kinds.ts";
/**
 * What a JSON text loses that is read into JavaScript values and written again. Linear, without recursion.
 * Numbers: a value beyond ±2^53, one that is not written back as the same decimal value (9007199254740993,
 * 1e-400), and -0. Duplicate keys: only the last is read, so the text has more members than the value.
 */

/** @param text valid JSON. @param value the result of `JSON.parse(text)`. */
export function findJsonLosses(
  text: string,
  value: unknown,
): readonly Extract<PolicyLoss, "body-numbers" | "body-duplicate-keys">[] {
  let members = 0;
  let keepsNumbers = true;
  const next = /[":]|-?\d[\d.eE+-]*/g;
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    const [token] = found;
    if (token === '"') next.lastIndex = endOfString(text, found.index);
    else if (token === ":") members++;
    else keepsNumbers &&= survives(token);
  }
  return [
    ...(keepsNumbers ? [] : ["body-numbers" as const]),
    ...(members > countMembers(value) ? ["body-duplicate-keys" as const] : []),
  ];
}

export function endOfString(text: string, start: number): number {
  const [quote, backslash] = [0x22, 0x5c];
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== quote) at += text.charCodeAt(at) === backslash ? 2 : 1;
  return at + 1;
}

/** True if a JSON number is written back with the value it was read from. */
export function survives(token: string): boolean {
  // A double keeps up to 15 significant digits apart; -0 is the exception.
  if (token.length <= 15 && /^(?:0|-?[1-9]\d*)(?:\.\d+)?$/.test(token)) return true;
  const value = Number(token);
  if (Object.is(value, -0) || Math.abs(value) > 2 ** 53) return false;
  return toDecimal(token) === toDecimal(String(value));
}

/** Goes on where it was once a container ends: a list of all containers would be as large as the value. */
function countMembers(value: unknown): number {
  let members = 0;
  const open = [[value].values()];
  for (let inner = open.at(-1); inner !== undefined; inner = open.at(-1)) {
    const next = inner.next();
    if (next.done === true) open.pop();
    else if (Array.isArray(next.value)) open.push((next.value as unknown[]).values());
    else if (isObject(next.value)) {
      const values = Object.values(next.value);
      members += values.length;
      open.push(values.values());
    }
  }
  return members;
}

/** Digit by digit, the last of equal keys, in one look without recursion. Expects valid JSON. */
export function numberTextAt(text: string, names: readonly string[]): string | null {
  const open: (number | null)[] = [];
  /** So many names lead to the value that comes next. A container is on the way if all names before it match. */
  let matched = 0;
  let found: string | null = null;
  let isKeyNext = false;
  const meet = (name: (wanted: string) => boolean): void => {
    const level = open.length;
    if (matched < level - 1) return;
    const wanted = names[level - 1];
    matched = wanted !== undefined && name(wanted) ? level : level - 1;
    if (matched === level) found = null;
  };
  const next = /["{}[\],]|-?\d[\d.eE+-]*/g;
  for (let one = next.exec(text); one !== null; one = next.exec(text)) {
    const [token] = one;
    if (token === '"') {
      next.lastIndex = endOfString(text, one.index);
      if (!isKeyNext) continue;
      isKeyNext = false;
      const { index } = one;
      meet((wanted) => JSON.parse(text.slice(index, next.lastIndex)) === wanted);
    } else if (token === "{" || token === "[") {
      open.push(token === "[" ? 0 : null);
      isKeyNext = token === "{";
      if (token === "[") meet((wanted) => toIndex(wanted) === 0);
    } else if (token === "}" || token === "]") {
      open.pop();
      matched = Math.min(matched, open.length);
      isKeyNext = false;
    } else if (token === ",") {
      const index = open.at(-1) ?? null;
      isKeyNext = index === null;
      if (index === null) continue;
      open[open.length - 1] = index + 1;
      meet((wanted) => toIndex(wanted) === index + 1);
    } else if (matched === open.length && matched === names.length) found = token;
  }
  return found;
}
