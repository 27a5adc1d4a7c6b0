import type { Condition, Leaf } from "./spec.ts";

/** The tests of single fields in a condition, in order; also those below a `not`. */
export function leavesOf(condition: Condition): readonly Leaf[] {
  switch (condition.kind) {
    case "all":
    case "some":
      return condition.of.flatMap(leavesOf);
    case "not":
      return leavesOf(condition.of);
    case "any":
      return [];
    case "text":
    case "header":
    case "number":
    case "duration":
    case "address":
    case "value":
      return [condition];
  }
}
