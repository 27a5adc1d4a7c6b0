import { compileTexts } from "../patterns/compile-patterns.ts";
import type { Budget } from "./covers.ts";
import { addressOf, isInNetwork } from "../patterns/ip-address.ts";
import type { AddressPattern, NumberPattern, TextField, TextPattern, ValuePattern } from "../spec.ts";

type Pattern = TextPattern | AddressPattern | ValuePattern;

/** Its compilation, in units of a plain comparison. */
export const costOfRegex = 2_000;
/** Texts longer than this are not tried against globs and expressions: this is about mistakes of people. */
export const longestTried = 256;

/** Whether whatever matches `later` matches `earlier`; false means "not proved". Both are of one kind of field. */
export function patternCovers(earlier: Pattern, later: Pattern, budget: Budget, field?: TextField): boolean {
  budget.left -= earlier.kind === "regex" ? costOfRegex : 1;
  if (budget.left <= 0) return false;
  if (earlier.kind === "none" || later.kind === "none") return earlier.kind === later.kind;
  if (earlier.kind === "some") return true;
  if (earlier.kind === "glob" && /^\*+$/.test(earlier.pattern)) return true;
  if (later.kind === "some") return false;
  switch (later.kind) {
    case "text":
      return earlier.kind === "text" && patternCovers(earlier.pattern, later.pattern, budget);
    case "literal":
      return earlier.kind === "literal" && earlier.value === later.value;
    case "number":
      return earlier.kind === "number" && spanCovers(earlier, later);
    case "network": {
      if (earlier.kind !== "network" || earlier.bits > later.bits) return false;
      const [outer, inner] = [addressOf(earlier), addressOf(later)];
      return outer !== null && inner !== null && isInNetwork(inner, outer, earlier.bits);
    }
    case "exact":
      if (isText(earlier) && later.value.length <= longestTried) {
        return compileTexts([earlier], field)([spelled(later.value, field)]);
      }
      return earlier.kind === "exact" && earlier.value === later.value;
    case "prefix":
    case "suffix":
    case "glob":
    case "regex":
      return isText(earlier) && openPatternCovers(earlier, later, field);
  }
}

/** Patterns that many texts match. A glob is known by what it begins and ends with. */
function openPatternCovers(
  earlier: Exclude<TextPattern, { kind: "some" | "none" }>,
  later: Exclude<TextPattern, { kind: "some" | "none" | "exact" }>,
  field: TextField | undefined,
): boolean {
  if (earlier.kind === "exact") return false;
  if (earlier.kind === "regex") return later.kind === "regex" && earlier.source === later.source;
  if (later.kind === "regex") return false;
  if (
    earlier.kind === "glob" &&
    earlier.pattern
      .split("*")
      .slice(1, -1)
      .some((piece) => piece !== "")
  ) {
    return later.kind === "glob" && earlier.pattern === later.pattern;
  }
  // Whatever matches the narrow one is at least as long as its ends, so the wide one's ends do not overlap in it.
  const [wide, narrow] = [endsOf(earlier, field), endsOf(later, field)];
  return narrow.start.startsWith(wide.start) && narrow.end.endsWith(wide.end);
}

/** What every text that the pattern matches begins and ends with. */
export function endsOf(
  pattern: Exclude<TextPattern, { kind: "some" | "none" }>,
  field: TextField | undefined,
): { readonly start: string; readonly end: string } {
  switch (pattern.kind) {
    case "exact":
      return { start: spelled(pattern.value, field), end: spelled(pattern.value, field) };
    case "regex":
      return { start: "", end: "" };
    case "prefix":
      return { start: spelled(pattern.value, field), end: "" };
    case "suffix":
      return { start: "", end: spelled(pattern.value, field) };
    case "glob": {
      const pieces = spelled(pattern.pattern, field).split("*");
      return { start: pieces[0] ?? "", end: pieces.at(-1) ?? "" };
    }
  }
}

export function isText(pattern: Pattern): pattern is Exclude<TextPattern, { kind: "some" | "none" }> {
  switch (pattern.kind) {
    case "exact":
    case "glob":
    case "prefix":
    case "suffix":
    case "regex":
      return true;
    case "some":
    case "none":
    case "network":
    case "text":
    case "number":
    case "literal":
      return false;
  }
}

/** As the field's own values are written. */
export function spelled(text: string, field: TextField | undefined): string {
  if (field === "host") return text.toLowerCase();
  return field === "method" ? text.toUpperCase() : text;
}

type Span = Extract<ValuePattern, { kind: "number" }>;

function spanCovers(wide: Span, narrow: Span): boolean {
  const from = wide.from < narrow.from || (wide.from === narrow.from && (!wide.openFrom || narrow.openFrom));
  const to = wide.to > narrow.to || (wide.to === narrow.to && (!wide.openTo || narrow.openTo));
  return from && to;
}

/** Whether the ranges together cover each of the others. Fields hold whole numbers, so 500-502 and 503-504 leave no gap. */
export function rangesCover(
  earlier: readonly NumberPattern[],
  later: readonly NumberPattern[],
  budget: Budget,
): boolean {
  budget.left -= earlier.length + later.length;
  if (budget.left <= 0) return false;
  const has = (kind: "some" | "none") => earlier.some((pattern) => pattern.kind === kind);
  const merged = mergeRanges(earlier);
  return later.every((pattern) => {
    switch (pattern.kind) {
      case "none":
        return has("none");
      case "some":
        return has("some") || merged.some(({ from, to }) => from === -Infinity && to === Infinity);
      case "range":
        return has("some") || merged.some(({ from, to }) => from <= pattern.from && pattern.to <= to);
    }
  });
}

function mergeRanges(patterns: readonly NumberPattern[]): readonly { from: number; to: number }[] {
  const ranges = patterns
    .flatMap((pattern) => (pattern.kind === "range" ? [pattern] : []))
    .toSorted((one, other) => one.from - other.from || one.to - other.to);
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of ranges) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
