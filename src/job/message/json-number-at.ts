import { endOfString } from "./json-losses.ts";
import { toIndex } from "./json-pointer.ts";

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
