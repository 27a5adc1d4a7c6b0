/**
 * JSON Patch (RFC 6902), all or nothing. Every operation is located before fast-json-patch applies it, because
 * 3.1.1 takes some missing paths for others: index 4294967296 for 0, an index past the end for the end, an
 * inherited `toString` for a member. `move` and `copy` run as the remove and add that the RFC defines them by.
 */
import jsonPatch from "fast-json-patch";
import type { PatchOperation } from "./item-changes.ts";
import { isObject } from "./json-value.ts";
import { hasMember, lookUp, parsePointer, toIndex } from "./json-pointer.ts";

export interface PatchedJson {
  readonly value: unknown;
  /** `no` if a second run can add, move or remove more: array inserts and removes, move, copy. */
  readonly repeatable: "yes" | "no";
}

type Step =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

class NotApplicable extends Error {}

/** Null: a `test` fails, a path is missing, or one reaches a prototype. Changes `value`, also then. Never throws. */
export function patchJson(value: unknown, operations: readonly PatchOperation[]): PatchedJson | null {
  try {
    let repeatable: "yes" | "no" = "yes";
    for (const operation of operations) {
      for (const step of toSteps(value, operation)) {
        if (isArrayEdit(value, step)) repeatable = "no";
        value = take(value, step);
      }
      if (operation.op === "move" || operation.op === "copy") repeatable = "no";
    }
    return { value, repeatable };
  } catch {
    // Besides NotApplicable: a banned prototype path, and documents too deep to be copied or compared.
    return null;
  }
}

/** Values are cloned: the library puts them into the document, where later operations change them. */
function toSteps(document: unknown, operation: PatchOperation): readonly Step[] {
  switch (operation.op) {
    case "add":
    case "replace":
    case "test":
      return [{ op: operation.op, path: operation.path, value: structuredClone(operation.value) }];
    case "remove":
      return [{ op: "remove", path: operation.path }];
    case "copy":
    case "move": {
      const { op, from, path } = operation;
      if (op === "move" && path.startsWith(`${from}/`)) throw new NotApplicable();
      const add = { op: "add", path, value: structuredClone(valueAt(document, tokensOf(from))) } as const;
      return op === "copy" ? [add] : [{ op: "remove", path: from }, add];
    }
  }
}

function take(document: unknown, step: Step): unknown {
  if (step.op === "test") {
    // Compared by the value alone: the library's error would otherwise print the whole document.
    const { value } = step;
    jsonPatch.applyOperation(valueAt(document, tokensOf(step.path)), { op: "test", path: "", value });
    return document;
  }
  const tokens = tokensOf(step.path);
  const last = tokens.at(-1);
  if (last !== undefined) {
    const parent = valueAt(document, tokens.slice(0, -1));
    if (!(step.op === "add" ? takesNew(parent, last) : hasMember(parent, last))) throw new NotApplicable();
  }
  // Without its validation, which is done above and misses the cases named there; with the ban on prototypes.
  return jsonPatch.applyOperation(document, step, false, true, true).newDocument;
}

function takesNew(parent: unknown, token: string): boolean {
  if (Array.isArray(parent)) return token === "-" || (toIndex(token) ?? Infinity) <= parent.length;
  return isObject(parent);
}

function isArrayEdit(document: unknown, step: Step): boolean {
  if (step.op === "test" || step.op === "replace" || step.path === "") return false;
  return Array.isArray(valueAt(document, tokensOf(step.path).slice(0, -1)));
}

function valueAt(document: unknown, tokens: readonly string[]): unknown {
  const value = lookUp(document, tokens);
  if (value === undefined) throw new NotApplicable();
  return value;
}

function tokensOf(pointer: string): readonly string[] {
  const tokens = parsePointer(pointer);
  if (tokens === null) throw new NotApplicable();
  return tokens;
}
