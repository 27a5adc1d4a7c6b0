import type { Condition, Leaf } from "./spec.ts";

/** The tests of single fields in a condition, in order; also those below a `not`. */
export function leavesOf(condition: Condition): readonly Leaf[] {
  if (condition.kind === "all" || condition.kind === "some") return condition.of.flatMap(leavesOf);
  if (condition.kind === "not") return leavesOf(condition.of);
  return condition.kind === "any" ? [] : [condition];
}
