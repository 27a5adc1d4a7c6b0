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
