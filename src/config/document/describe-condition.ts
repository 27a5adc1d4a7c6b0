import { durationText } from "../duration-text.ts";
import type { Condition, NumberPattern, TextPattern } from "../../rules/spec.ts";
import { withoutQuery } from "./without-query.ts";

/** A condition in the document's own form. Patterns for header values are told as "[set]": they may be secrets. */
export function describeWhen(condition: Condition): unknown {
  switch (condition.kind) {
    case "any":
      return "any";
    case "all":
      return describeAll(condition.of);
    case "some":
      return { any: condition.of.map(describeWhen) };
    case "not":
      return { not: describeWhen(condition.of) };
    case "text":
      return { [condition.field]: oneOrMany(condition.oneOf.map(describeText)) };
    case "header":
      return {
        header: {
          [condition.name]: oneOrMany(
            condition.oneOf.map((test) => (test.kind === "none" ? "none" : "[set]")),
          ),
        },
      };
    case "number":
      return { [condition.field]: oneOrMany(condition.oneOf.map((test) => describeRange(test, String))) };
    case "duration":
      return {
        [condition.field]: oneOrMany(condition.oneOf.map((test) => describeRange(test, durationText))),
      };
  }
}

/** One mapping where the keys are different, as a person writes it; a list under `all` where they are not. */
function describeAll(conditions: readonly Condition[]): unknown {
  const merged: Record<string, unknown> = {};
  const rest: unknown[] = [];
  for (const condition of conditions) {
    const described = describeWhen(condition);
    const [[key, value] = []] =
      typeof described === "object" && described !== null ? Object.entries(described) : [];
    const isAlone =
      typeof described === "object" && described !== null && Object.keys(described).length === 1;
    if (key === "header" && typeof value === "object") {
      const known = (merged["header"] ??= {}) as Record<string, unknown>;
      const [name = ""] = Object.keys(value as object);
      if (Object.hasOwn(known, name)) rest.push(described);
      else Object.assign(known, value);
    } else if (key !== undefined && isAlone && key !== "all" && !Object.hasOwn(merged, key))
      merged[key] = value;
    else rest.push(described);
  }
  return rest.length === 0 ? merged : { ...merged, all: rest };
}

function oneOrMany(values: readonly unknown[]): unknown {
  return values.length === 1 ? values[0] : values;
}

function describeText(pattern: TextPattern): string {
  switch (pattern.kind) {
    case "exact":
      return withoutQuery(pattern.value);
    case "glob":
      return withoutQuery(pattern.pattern);
    case "none":
      return "none";
  }
}

/** Bounds are inclusive; `> 48h` is told as itself and not as the millisecond after it. */
function describeRange(pattern: NumberPattern, format: (value: number) => string): string | number {
  if (pattern.kind === "none") return "none";
  const { from, to } = pattern;
  if (from === to) return format === String ? from : `${format(from)}-${format(to)}`;
  if (Number.isFinite(from) && Number.isFinite(to)) return `${format(from)}-${format(to)}`;
  if (Number.isFinite(to)) return shorter(`<= ${format(to)}`, `< ${format(to + 1)}`);
  return shorter(`>= ${format(from)}`, `> ${format(from - 1)}`);
}

function shorter(one: string, other: string): string {
  return other.length < one.length ? other : one;
}
