import { isObject, type JsonValue } from "./json-value.ts";

/** RFC 7396. Changes neither argument; the result shares the untouched parts. Goes as deep as the patch. */
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
