import { isObject, type JsonValue } from "./json-value.ts";

/** JSON pointers (RFC 6901), resolved over own members only: inherited members are not part of a document. */

export function parsePointer(pointer: string): readonly string[] | null {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split("/")
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function toPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function lookUp(document: JsonValue, tokens: readonly string[]): JsonValue | undefined;
export function lookUp(document: unknown, tokens: readonly string[]): unknown;
export function lookUp(document: unknown, tokens: readonly string[]): unknown {
  let value = document;
  for (const token of tokens) {
    if (!hasMember(value, token)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[token];
  }
  return value;
}

export function hasMember(value: unknown, token: string): boolean {
  if (Array.isArray(value)) return (toIndex(token) ?? value.length) < value.length;
  return isObject(value) && Object.hasOwn(value, token);
}

/** An array index as RFC 6901 writes it: no sign, no leading zero. Null for anything else. */
export function toIndex(token: string): number | null {
  return /^(?:0|[1-9]\d{0,14})$/.test(token) ? Number(token) : null;
}
