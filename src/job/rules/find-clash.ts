import { compareDecimals } from "../message/decimal.ts";
import { parseHost, spellPath } from "../message/host-and-path.ts";
import { compileText, textOf, type Matching } from "./patterns/compile-text.ts";
import type { Condition, DecimalRange, Leaf, TextField } from "./rule-spec.ts";

export interface Clash {
  readonly test: Leaf;
  readonly other: Leaf;
}

type Pattern = Leaf["oneOf"][number];

/** More tests of one field, or more values of two lists, are not compared: no person writes them. */
const maxTests = 50;
const maxPairs = 10_000;

/** Two tests that exclude each other. `given`: tests that are passed. What it cannot tell may match. */
export function findClash(condition: Condition, given: readonly Leaf[] = []): Clash | null {
  const parts = partsOf(condition);
  const passed = new Map<string, Leaf[]>();
  const besides = (leaf: Leaf) => passed.get(keyOf(leaf)) ?? [];
  const pass = (leaf: Leaf) => passed.set(keyOf(leaf), [...besides(leaf), leaf].slice(0, maxTests));
  for (const leaf of given) pass(leaf);
  for (const part of parts) {
    if (part.kind === "any" || part.kind === "some" || part.kind === "not" || part.kind === "all") continue;
    const other = besides(part).find((one) => !mayBoth(one, part));
    if (other !== undefined) return { test: part, other };
    pass(part);
  }
  const known = [...passed.values()].flat();
  for (const part of parts) {
    if (part.kind === "not") {
      const { of } = part;
      if (of.kind === "any" || of.kind === "some" || of.kind === "not" || of.kind === "all") continue;
      const other = besides(of).find((one) => isWithin(one, of));
      if (other !== undefined) return { test: of, other };
    }
    if (part.kind === "some") {
      const clashes = part.of.map((inner) => findClash(inner, known));
      if (clashes.every((clash) => clash !== null)) return clashes[0] ?? null;
    }
  }
  return null;
}

function partsOf(condition: Condition): readonly Condition[] {
  return condition.kind === "all" ? condition.of.flatMap(partsOf) : [condition];
}

function keyOf(leaf: Leaf): string {
  if (leaf.kind === "header") return `${leaf.of} ${leaf.name.toLowerCase()}`;
  if (leaf.kind === "superseded") return JSON.stringify([leaf.field, leaf.pointer]);
  return leaf.kind === "value" ? `${leaf.field} ${leaf.pointer}` : leaf.field;
}

/** True unless each pattern of one excludes each of the other. Both ask for the same field. */
function mayBoth(one: Leaf, other: Leaf): boolean {
  if (one.oneOf.length * other.oneOf.length > maxPairs) return true;
  // A message has several labels, and a header several values.
  const field = one.kind === "text" && one.field !== "label" ? one.field : null;
  const isSingle = field !== null || one.kind === "number" || one.kind === "duration" || one.kind === "value";
  return one.oneOf.some((a) => other.oneOf.some((b) => mayMeet(a, b, isSingle, field)));
}

function mayMeet(a: Pattern, b: Pattern, isSingle: boolean, field: TextField | null): boolean {
  if (a.kind === "none" || b.kind === "none") return a.kind === b.kind;
  if (!isSingle || a.kind === "some" || b.kind === "some") return true;
  if (a.kind === "range" && b.kind === "range") return a.from <= b.to && b.from <= a.to;
  if (a.kind === "number" && b.kind === "number") return !isBelow(a, b) && !isBelow(b, a);
  if (a.kind === "literal" && b.kind === "literal") return a.value === b.value;
  if (a.kind === "text" && b.kind === "text") return mayMeetAsTexts(a.pattern, b.pattern, "body");
  if (isMatching(a) && isMatching(b)) return field === null || mayMeetAsTexts(a, b, field);
  return a.kind === "network" || b.kind === "network";
}

function isMatching(pattern: Pattern): pattern is Matching {
  return ["exact", "glob", "prefix", "suffix", "regex"].includes(pattern.kind);
}

/** Only a whole text is compared with others. */
function mayMeetAsTexts(a: Matching, b: Matching, field: TextField): boolean {
  const [exact, other] = a.kind === "exact" ? [a, b] : [b, a];
  if (exact.kind !== "exact") return true;
  if (field !== "host" && field !== "path" && field !== "method") return compileText(other)(exact.value);
  if (other.kind !== "exact") return true;
  if (field === "path")
    return spellPath(exact.value) === spellPath(other.value) || /[.\\]/.test(textOf(a) + textOf(b));
  if (field === "method") return exact.value.toUpperCase() === other.value.toUpperCase();
  const [one, two] = [parseHost(exact.value), parseHost(other.value)];
  if (one === null || two === null) return true;
  return one.hostname === two.hostname && (one.port === two.port || one.port === "" || two.port === "");
}

function isBelow(one: DecimalRange, other: DecimalRange): boolean {
  if (one.to === Number.POSITIVE_INFINITY || other.from === Number.NEGATIVE_INFINITY) return false;
  const side = compareDecimals(one.toText ?? String(one.to), other.fromText ?? String(other.from));
  return side < 0 || (side === 0 && (one.openTo || other.openFrom));
}

function isWithin(one: Leaf, other: Leaf): boolean {
  if (one.oneOf.length * other.oneOf.length > maxPairs) return false;
  return one.oneOf.every((a) =>
    other.oneOf.some(
      (b) =>
        (a.kind === "range" && b.kind === "range" && b.from <= a.from && a.to <= b.to) ||
        (b.kind === "some" && a.kind !== "none") ||
        JSON.stringify(a) === JSON.stringify(b),
    ),
  );
}
