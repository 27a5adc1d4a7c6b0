import type { BodyChange } from "./item-changes.ts";
import { findJsonLosses } from "./json-losses.ts";
import { patchJson, type PatchedJson } from "./json-patch.ts";
import { isObject, isTooMuchJson, parseJson, type JsonValue } from "./json-value.ts";
import type { PolicyLoss } from "./loss-kinds.ts";

export type EditedBody =
  | { readonly kind: "body"; readonly body: string; readonly losses: readonly PolicyLoss[] }
  | { readonly kind: "park"; readonly reason: "body-not-editable" };

/**
 * JSON without white space or byte order mark. An edit that changes no value and loses nothing leaves the text
 * byte for byte. Never throws. `attempt`: redrives already made; a patch that adds more each time is a loss
 * from the second on.
 */
export function editBody(body: string, change: BodyChange, attempt: number): EditedBody {
  try {
    const value = isTooMuchJson(body) ? undefined : parseJson(body);
    if (value === undefined) return notEditable;
    // Before the edit: a patch changes the value, as a copy of a large one would not fit beside it.
    const losses: PolicyLoss[] = [...findJsonLosses(body, value)];
    const before = losses.length === 0 ? JSON.stringify(value) : null;
    const edited =
      change.kind === "patch" ? patchJson(value, change.operations) : merged(value, change.value);
    if (edited === null) return notEditable;
    const text = JSON.stringify(edited.value);
    if (text === before) return { kind: "body", body, losses };
    if (edited.repeatable === "no" && attempt >= 1) losses.push("patch-not-idempotent");
    return { kind: "body", body: text, losses };
  } catch {
    // Nested too deep to be written again.
    return notEditable;
  }
}

const notEditable: EditedBody = { kind: "park", reason: "body-not-editable" };

function merged(value: unknown, patch: JsonValue): PatchedJson | null {
  return keepsContainers(value, patch) ? { value: mergePatch(value, patch), repeatable: "yes" } : null;
}

/**
 * RFC 7396 replaces any value that is not an object by one. In a stored message that would throw away a list or
 * a text, so such a merge does not apply. A replacement by a list or a plain value is explicit, so it does.
 */
function keepsContainers(target: unknown, merge: unknown): boolean {
  if (!isObject(merge) || target === undefined || target === null) return true;
  if (!isObject(target)) return false;
  return Object.entries(merge).every(([name, value]) =>
    keepsContainers(Object.hasOwn(target, name) ? target[name] : undefined, value),
  );
}

/** RFC 7396. Changes neither argument; the result shares the untouched parts. Goes as deep as the patch. */
export function mergePatch(target: unknown, patch: JsonValue): unknown {
  if (!isObject(patch)) return patch;
  const members: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, given] of Object.entries(patch as Readonly<Record<string, JsonValue>>)) {
    if (given === null) {
      delete members[name];
      continue;
    }
    const before = Object.hasOwn(members, name) ? members[name] : undefined;
    const value = mergePatch(before, given);
    // So that one called __proto__ is a member like any other.
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return members;
}
