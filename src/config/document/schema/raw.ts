import { isObject } from "../../../message/json-value.ts";
import type { ValuePath } from "../../problem.ts";

/**
 * The document as it was written, before anything is known of its shape. Reading a part of it never throws.
 */
export type Raw = Readonly<Record<string, unknown>>;

/** Reports a problem at a place in the document. Its message is `expected <expected><behind>` unless given. */
export type Report = (
  path: ValuePath,
  part: "key" | "value",
  expected: string,
  more?: { readonly found?: string; readonly behind?: string; readonly message?: string },
) => void;

/** The mapping, or an empty one in place of anything else. */
export function asMap(value: unknown): Raw {
  return isObject(value) ? value : {};
}

/** The list, or an empty one in place of anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
