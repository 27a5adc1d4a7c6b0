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

/** The members of a mapping, each as a mapping. */
export function mapsIn(value: unknown): readonly (readonly [name: string, member: Raw])[] {
  return Object.entries(asMap(value)).map(([name, member]) => [name, asMap(member)]);
}

export function valueAt(value: unknown, path: ValuePath): unknown {
  return path.reduce<unknown>((part, segment) => {
    const isThere = typeof part === "object" && part !== null && Object.hasOwn(part, segment);
    return isThere ? (part as Record<string | number, unknown>)[segment] : undefined;
  }, value);
}

export type Report = (path: ValuePath, part: "key" | "value", message: string) => void;

/** The same of what loads and is probably not meant, at a key. */
export type Warn = (path: ValuePath, message: string) => void;

export function below(report: Report, ...path: ValuePath): Report {
  return (way, part, message) => report([...path, ...way], part, message);
}
