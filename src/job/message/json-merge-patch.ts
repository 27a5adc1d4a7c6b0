import { isObject, type JsonValue } from "./json-value.ts";

/**
 * JSON Merge Patch (RFC 7396): `null` removes a member, an object is merged into, anything else replaces. Changes
 * neither argument; the result shares the untouched parts. Goes as deep as the patch, not as the target.
 */
export function mergePatch(target: unknown, patch: JsonValue): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch as Readonly<Record<string, JsonValue>>)) {
    if (value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), value));
  }
  // fromEntries defines own members, so that one called __proto__ is a member like any other.
  return Object.fromEntries(members);
}
