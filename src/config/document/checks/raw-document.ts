import { isObject } from "../../../job/message/json-value.ts";
import type { ValuePath } from "../../problem.ts";

/** The document as it was written, before anything is known of its shape. Reading a part of it never throws. */
export type Raw = Readonly<Record<string, unknown>>;

export function asMap(value: unknown): Raw {
  return isObject(value) ? value : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function valueAt(value: unknown, path: ValuePath): unknown {
  let current = value;
  for (const segment of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, segment)) return undefined;
    current = (current as Record<string | number, unknown>)[segment];
  }
  return current;
}
