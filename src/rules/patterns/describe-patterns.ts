import type { AddressPattern, NumberPattern, TextPattern, ValuePattern } from "../spec.ts";
import { withoutQuery } from "../without-query.ts";

/** Each answers the end of a sentence: `is 503`, `is one of "a", starts with "b"`. */

/** `secret`: what the pattern says is not told; `address`: its query is not. */
export function describeTexts(
  oneOf: readonly TextPattern[],
  content: "plain" | "address" | "secret",
): string {
  return describeList(
    oneOf.map((pattern) => {
      if (pattern.kind === "some") return "there";
      if (pattern.kind === "none") return "none";
      return content === "secret" ? "[set]" : describeText(pattern, content);
    }),
  );
}

function describeText(
  pattern: Exclude<TextPattern, { kind: "some" | "none" }>,
  content: "plain" | "address",
): string {
  const shown = (text: string) => JSON.stringify(content === "address" ? withoutQuery(text) : text);
  switch (pattern.kind) {
    case "exact":
      return shown(pattern.value);
    case "glob":
      return shown(pattern.pattern);
    case "prefix":
      return `prefix ${shown(pattern.value)}`;
    case "suffix":
      return `suffix ${content === "address" ? "[set]" : shown(pattern.value)}`;
    case "regex":
      return `regex ${content === "address" ? "[set]" : shown(pattern.source)}`;
  }
}

export function describeNumbers(oneOf: readonly NumberPattern[], format: (value: number) => string): string {
  return describeList(
    oneOf.map((pattern) => {
      if (pattern.kind === "none") return "none";
      if (pattern.kind === "some") return "there";
      const { from, to } = pattern;
      if (from === to) return format(from);
      if (!Number.isFinite(from)) return Number.isFinite(to) ? `up to ${format(to)}` : "any number";
      return Number.isFinite(to) ? `${format(from)}-${format(to)}` : `from ${format(from)}`;
    }),
  );
}

export function describeAddresses(oneOf: readonly AddressPattern[]): string {
  return describeList(
    oneOf.map((pattern) => {
      if (pattern.kind === "none") return "none";
      return pattern.kind === "some" ? "there" : `${pattern.address}/${pattern.bits}`;
    }),
  );
}

/** Values inside a body: numbers and the like are told, texts are not. */
export function describeValues(oneOf: readonly ValuePattern[]): string {
  return describeList(
    oneOf.map((pattern) => {
      switch (pattern.kind) {
        case "none":
          return "none";
        case "some":
          return "there";
        case "literal":
          return String(pattern.value);
        case "text":
          return "[set]";
        case "number":
          return describeNumber(pattern);
      }
    }),
  );
}

function describeNumber(pattern: Extract<ValuePattern, { kind: "number" }>): string {
  const { from, to, openFrom, openTo } = pattern;
  if (from === to) return String(from);
  const lower = `${openFrom ? ">" : ">="} ${from}`;
  const upper = `${openTo ? "<" : "<="} ${to}`;
  if (!Number.isFinite(from)) return Number.isFinite(to) ? upper : "any number";
  return Number.isFinite(to) ? `${lower} and ${upper}` : lower;
}

function describeList(patterns: readonly string[]): string {
  return patterns.length === 1 ? `is ${patterns[0]}` : `is one of ${patterns.join(", ")}`;
}
