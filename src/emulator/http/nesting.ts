/** More than any body or record has; what walks them by recursion walks that much safely. */
export const deepestNesting = 100;

/** Whether there are more arrays and objects inside one another than that. */
export function isNestedTooDeeply(value: unknown, levels = deepestNesting): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isNestedTooDeeply(inner, levels - 1));
}
