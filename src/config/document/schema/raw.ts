import { isObject } from "../../../message/json-value.ts";
import type { Problem, ValuePath } from "../../problem.ts";

/**
 * The document as it was written, before anything is known of its shape. Reading a part of it never throws.
 */
export type Raw = Readonly<Record<string, unknown>>;

/** Reports a problem at a place in the document. */
export type Report = (
  path: ValuePath,
  part: "key" | "value",
  problem: Pick<Problem, "expected" | "message"> & { readonly found?: string },
) => void;

/** The mapping, or an empty one in place of anything else. */
export function asMap(value: unknown): Raw {
  return isObject(value) ? value : {};
}

/** The list, or an empty one in place of anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
