import type { AddressPattern, NumberPattern, TextPattern, ValuePattern } from "../../../rules/spec.ts";
import { withoutQuery } from "../../../rules/without-query.ts";

/** A pattern in the document's own form, so that it loads again as the same. */

const isThere = { exists: true };

/** `secret`: what it says is told as "[set]"; `address`: its query is. */
export function describeTextPattern(pattern: TextPattern, content: "plain" | "address" | "secret"): unknown {
  if (pattern.kind === "none") return "none";
  if (pattern.kind === "some") return isThere;
  if (content === "secret") return "[set]";
  const shown = (text: string) => (content === "address" ? withoutQuery(text) : text);
  switch (pattern.kind) {
    case "exact":
      return isPlain(pattern.value) ? shown(pattern.value) : { equals: shown(pattern.value) };
    case "glob":
      return shown(pattern.pattern);
    case "prefix":
      return { prefix: shown(pattern.value) };
    case "suffix":
      return { suffix: content === "address" ? "[set]" : pattern.value };
    case "regex":
      return { regex: content === "address" ? "[set]" : pattern.source };
  }
}

/** Whether a text means itself where a pattern is read. */
function isPlain(text: string): boolean {
  return text !== "" && text !== "none" && !text.includes("*") && !/^\s*[<>]/.test(text);
}

export function describeAddressPattern(pattern: AddressPattern): unknown {
  if (pattern.kind === "none") return "none";
  if (pattern.kind === "some") return isThere;
  return `${pattern.address}/${pattern.bits}`;
}

export function describeValuePattern(pattern: ValuePattern): unknown {
  switch (pattern.kind) {
    case "none":
      return "none";
    case "some":
      return isThere;
    case "literal":
      return pattern.value;
    case "text":
      return describeTextPattern(pattern.pattern, "plain");
    case "number": {
      const { from, to, openFrom, openTo } = pattern;
      if (from === to) return from;
      if (Number.isFinite(from) && Number.isFinite(to)) return { range: `${from}-${to}` };
      return Number.isFinite(to) ? `${openTo ? "<" : "<="} ${to}` : `${openFrom ? ">" : ">="} ${from}`;
    }
  }
}

/** Bounds are inclusive; `> 48h` is told as itself and not as the millisecond after it. */
export function describeRange(pattern: NumberPattern, format: (value: number) => string): unknown {
  if (pattern.kind === "none") return "none";
  if (pattern.kind === "some") return isThere;
  const { from, to } = pattern;
  // A date has hyphens of its own.
  const between = format === momentText ? " - " : "-";
  if (from === to) return format === String ? from : `${format(from)}${between}${format(to)}`;
  if (Number.isFinite(from) && Number.isFinite(to)) return `${format(from)}${between}${format(to)}`;
  if (Number.isFinite(to)) return shorter(`<= ${format(to)}`, `< ${format(to + 1)}`);
  return shorter(`>= ${format(from)}`, `> ${format(from - 1)}`);
}

/** A moment as a time with a zone, exact to the millisecond. */
export function momentText(at: number): string {
  return new Date(at).toISOString();
}

function shorter(one: string, other: string): string {
  return other.length < one.length ? other : one;
}
