import * as z from "zod";
import type { JsonValue } from "../../../message/json-value.ts";
import type { ValuePath } from "../../problem.ts";

const numberExpected =
  "a number that every JSON reader reads the same: between -(2^53 - 1) and 2^53 - 1, in quotes if it is meant as text";

/**
 * Any JSON value: a YAML tree has no other ones. Its text is at most 32 levels deep and has at most 50,000
 * values, so the walk ends soon. A number that readers do not agree on is refused: it would be written into
 * messages as another one.
 */
export const jsonValue = z
  .unknown()
  .meta({ id: "json", description: "Any JSON value." })
  .transform((value, context) => {
    const walk = (part: unknown, path: ValuePath): void => {
      if (typeof part === "number" && !(Math.abs(part) <= Number.MAX_SAFE_INTEGER)) {
        context.addIssue({ code: "custom", message: numberExpected, path: [...path] });
      }
      if (typeof part !== "object" || part === null) return;
      for (const [name, member] of Object.entries(part)) {
        walk(member, [...path, Array.isArray(part) ? Number(name) : name]);
      }
    };
    walk(value, []);
    return value as JsonValue;
  });
