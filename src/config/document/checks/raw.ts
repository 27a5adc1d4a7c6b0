import { defined } from "../../../message/defined.ts";
import { isObject } from "../../../message/json-value.ts";
import { toPathText, type Problem, type ValuePath } from "../../problem.ts";
import type { YamlTree } from "../../text/yaml-tree.ts";

/**
 * The document as it was written, before anything is known of its shape. Reading a part of it never throws.
 */
export type Raw = Readonly<Record<string, unknown>>;

/**
 * Reports a problem at a place in the document. Its message is `expected <expected><behind>` unless given.
 */
export type Report = (
  path: ValuePath,
  part: "key" | "value",
  expected: string,
  more?: { readonly found?: string | undefined; readonly behind?: string; readonly message?: string },
) => void;

/** The same of what loads and is probably not meant, at a key and with the whole message. */
export type Warn = (path: ValuePath, expected: string, message: string, found?: string) => void;

/** Adds what is reported to a list. */
export function reportTo(problems: Problem[], tree: YamlTree, file: string): Report {
  return (path, part, expected, { found, behind = "", message = `expected ${expected}${behind}` } = {}) => {
    const place = { file, ...tree.locate(path, part), path: toPathText(path) };
    problems.push({ ...place, ...defined({ found }), expected, message });
  };
}

/** The mapping, or an empty one in place of anything else. */
export function asMap(value: unknown): Raw {
  return isObject(value) ? value : {};
}

/** The list, or an empty one in place of anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
