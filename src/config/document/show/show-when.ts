import { isObject } from "../../../job/message/json-value.ts";
import { showFieldTest } from "../../../job/rules/show-field-test.ts";
import type { Condition } from "../../../job/rules/rule-spec.ts";

/**
 * A condition in the document's own form. Patterns for header values are shown as "[set]": they may be
 * secrets.
 */
export function showWhen(condition: Condition): unknown {
  if (condition.kind === "any") return "any";
  if (condition.kind === "all") return showAll(condition.of);
  if (condition.kind === "some") return { any: condition.of.map(showWhen) };
  if (condition.kind === "not") return { not: showWhen(condition.of) };
  const { keys, oneOf } = showFieldTest(condition, "shown");
  const [field, name] = keys;
  const written = oneOf.length === 1 ? oneOf[0] : oneOf;
  return { [field]: name === undefined ? written : { [name]: written } };
}

/** Keys under which several tests of one `when` stand side by side, each by a name of its own. */
const nestedKeys = new Set(["header", "responseHeader", "body", "responseBody"]);

function showAll(conditions: readonly Condition[]): unknown {
  const merged: Record<string, unknown> = {};
  const rest: unknown[] = [];
  for (const condition of conditions) {
    const shown = showWhen(condition);
    if (!isObject(shown)) rest.push(shown);
    else if (!addTo(merged, shown)) rest.push(shown);
  }
  return rest.length === 0 ? merged : { ...merged, all: rest };
}

function addTo(merged: Record<string, unknown>, shown: Readonly<Record<string, unknown>>): boolean {
  const [[key, value] = [], ...others] = Object.entries(shown);
  if (key === undefined || others.length > 0 || key === "all") return false;
  const known = merged[key];
  if (known === undefined) {
    merged[key] = isObject(value) && nestedKeys.has(key) ? { ...value } : value;
    return true;
  }
  // Headers by name and values by pointer stand together; a pattern for the whole body is no such mapping.
  if (!nestedKeys.has(key) || !isObject(known) || !isObject(value)) return false;
  const names = Object.keys(value);
  const isBody = key === "body" || key === "responseBody";
  if (isBody && ![...names, ...Object.keys(known)].every(isPointer)) return false;
  if (names.some((name) => Object.hasOwn(known, name))) return false;
  Object.assign(known, value);
  return true;
}

function isPointer(name: string): boolean {
  return name === "" || name.startsWith("/");
}
