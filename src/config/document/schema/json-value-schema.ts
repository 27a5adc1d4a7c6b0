import * as z from "zod";
import type { JsonValue } from "../../../message/json-value.ts";

const numberExpected =
  "a number that every JSON reader reads the same: between -(2^53 - 1) and 2^53 - 1, in quotes if it is meant as text";

/**
 * Any JSON value. The text of a document is at most 32 levels deep and has at most 50,000 values, so the walk
 * ends soon. A number that readers do not agree on is refused: it would be written into messages as another
 * one.
 */
export const jsonValue = z
  .unknown()
  .meta({ id: "json", description: "Any JSON value." })
  .transform((value, context): JsonValue => {
    const walk = (part: unknown, path: readonly (string | number)[]): JsonValue => {
      if (part === null || typeof part === "boolean" || typeof part === "string") return part;
      if (typeof part === "number") {
        if (!Number.isFinite(part) || Math.abs(part) > Number.MAX_SAFE_INTEGER) {
          context.addIssue({ code: "custom", message: numberExpected, path: [...path] });
        }
        return part;
      }
      if (Array.isArray(part)) return part.map((member, index) => walk(member, [...path, index]));
      if (typeof part === "object") {
        return Object.fromEntries(
          Object.entries(part).map(([name, member]) => [name, walk(member, [...path, name])]),
        );
      }
      context.addIssue({ code: "custom", message: "a JSON value", path: [...path] });
      return null;
    };
    return walk(value, []);
  });
