import type { ValuePath } from "../../problem.ts";
import { asMap, type Raw } from "./raw-document.ts";
import { duration } from "../schema/building-blocks.ts";

/** Where a key may be written, the last word first: a drain, then `defaults`. */
export type Layers = readonly { readonly keys: Raw; readonly path: ValuePath }[];

export function layersOf(document: Raw, drain?: string): Layers {
  const defaults = { keys: asMap(document["defaults"]), path: ["defaults"] };
  if (drain === undefined) return [defaults];
  return [{ keys: asMap(asMap(document["drains"])[drain]), path: ["drains", drain] }, defaults];
}

export interface WrittenSpan {
  readonly ms: number;
  /** Null: nowhere, it is built in. */
  readonly path: ValuePath | null;
}

/** The last word on a key of a span; null if that has a problem of its own. */
export function spanIn(
  layers: Layers,
  way: readonly string[],
  builtInMs: number,
  schema: typeof duration = duration,
): WrittenSpan | null {
  const found = writtenIn(layers, way);
  if (found === null) return { ms: builtInMs, path: null };
  const { success, data } = schema.safeParse(found.value);
  return success ? { ms: data, path: found.path } : null;
}

export function writtenIn(
  layers: Layers,
  way: readonly string[],
): { readonly value: unknown; readonly path: ValuePath } | null {
  for (const { keys, path } of layers) {
    const value = way.reduce<unknown>((part, key) => asMap(part)[key], keys);
    if (value !== undefined) return { value, path: [...path, ...way] };
  }
  return null;
}

export function sourceNameOf(sources: Raw, drain: Raw): string | null {
  const [first, ...others] = Object.keys(sources);
  const name = drain["source"] ?? (others.length === 0 ? first : undefined);
  return typeof name === "string" && Object.hasOwn(sources, name) ? name : null;
}

export function copiesNothing(layers: Layers): boolean {
  return writtenIn(layers, ["beforeExpiry", "then"])?.value === "nothing";
}
