import type { JsonValue } from "./spec.ts";

/** The names that a pointer of RFC 6901 leads along; null for a text that is none. The empty pointer is the whole. */
export function parsePointer(pointer: string): readonly string[] | null {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What is there; undefined when nothing is. Only own members count, so `__proto__` and `constructor` are plain names. */
export function lookUp(value: JsonValue, names: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const name of names) {
    if (typeof current !== "object" || current === null) return undefined;
    if (isList(current)) {
      current = /^(0|[1-9]\d{0,9})$/.test(name) ? current[Number(name)] : undefined;
    } else current = Object.hasOwn(current, name) ? current[name] : undefined;
  }
  return current;
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
