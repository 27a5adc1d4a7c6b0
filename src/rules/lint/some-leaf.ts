import type { Leaf } from "./covers.ts";
import type { Condition } from "../spec.ts";

/** Whether one of the tests of a condition is so, those below a `not` included. */
export function someLeaf(condition: Condition, isSo: (leaf: Leaf) => boolean): boolean {
  switch (condition.kind) {
    case "all":
    case "some":
      return condition.of.some((inner) => someLeaf(inner, isSo));
    case "not":
      return someLeaf(condition.of, isSo);
    case "any":
      return false;
    case "text":
    case "header":
    case "number":
    case "duration":
    case "address":
    case "value":
      return isSo(condition);
  }
}
