import { isObject } from "../../../message/json-value.ts";

/**
 * The document as it was written, before anything is known of its shape. Reading a part of it never throws.
 */
export type Raw = Readonly<Record<string, unknown>>;

/** The mapping, or an empty one in place of anything else. */
export function asMap(value: unknown): Raw {
  return isObject(value) ? value : {};
}

/** The list, or an empty one in place of anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
