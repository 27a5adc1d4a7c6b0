import { covers, type Budget, type Leaf } from "./covers.ts";
import { areDisjoint } from "./disjoint.ts";
import { impossibleOf, type Impossible } from "./impossible.ts";
import type { Condition, NumberPattern } from "../spec.ts";

/** Why a condition, or a part of one, never holds. */
export type Contradiction =
  /** Patterns of `at` never match; `whole`: none of its patterns does. */
  | {
      readonly kind: "impossible";
      readonly at: Leaf;
      readonly patterns: readonly Impossible[];
      readonly whole: boolean;
    }
  /** Both are asked for, and no record has both. */
  | { readonly kind: "disjoint"; readonly at: Leaf; readonly beside: Leaf }
  /** What else is asked for is all that this `not` excludes. */
  | { readonly kind: "excluded"; readonly at: Condition };

export interface Judgement {
  /** True: no record fulfils the condition. False: not proved. */
  readonly never: boolean;
  /** What never holds in it, which may be only one of several alternatives. */
  readonly contradictions: readonly Contradiction[];
}

/**
 * Looks for what a condition asks for and no record can have. `retentionMs` ties a record's age to the time it has left; null where
 * it is not known.
 */
export function judgeCondition(
  condition: Condition,
  { retentionMs }: { readonly retentionMs: number | null },
  budget: Budget,
): Judgement {
  const contradictions: Contradiction[] = [];

  /** Whether it never holds where `beside` holds too. */
  function judge(inner: Condition, beside: readonly Leaf[]): boolean {
    let never = false;
    const parts = partsOf(inner);
    const possible = [...beside];
    for (const part of parts) {
      if (!isLeaf(part)) continue;
      const patterns = impossibleOf(part);
      const whole = part.oneOf.length > 0 && patterns.length === part.oneOf.length;
      if (patterns.length > 0) contradictions.push({ kind: "impossible", at: part, patterns, whole });
      const other = whole ? undefined : possible.find((one) => exclude(one, part));
      if (other !== undefined) contradictions.push({ kind: "disjoint", at: part, beside: other });
      if (whole || other !== undefined) never = true;
      else possible.push(part);
    }
    for (const part of parts) {
      if (part.kind === "some") {
        const dead = part.of.filter((alternative) => judge(alternative, possible));
        if (dead.length === part.of.length) never = true;
      } else if (part.kind === "not") {
        judge(part.of, []);
        const others = [...beside, ...parts.filter((one) => one !== part)];
        if (!covers(part.of, { kind: "all", of: others }, budget)) continue;
        contradictions.push({ kind: "excluded", at: part });
        never = true;
      }
    }
    return never;
  }

  function exclude(one: Leaf, other: Leaf): boolean {
    return areDisjoint(asAge(one), asAge(other), budget);
  }

  /** Age and time left are one quantity: together they are the retention. */
  function asAge(leaf: Leaf): Leaf {
    if (leaf.kind !== "duration" || leaf.field !== "timeLeft" || retentionMs === null) return leaf;
    return { kind: "duration", field: "age", oneOf: leaf.oneOf.map((one) => mirrored(one, retentionMs)) };
  }

  return { never: judge(condition, []), contradictions };
}

/**
 * The greatest age in ms at which the condition can hold: Infinity where nothing limits it, below 0 where only a record from the
 * future would do.
 */
export function oldestAge(condition: Condition, retentionMs: number | null): number {
  const limits = partsOf(condition).map((part) => {
    if (part.kind === "some") {
      return Math.max(...part.of.map((alternative) => oldestAge(alternative, retentionMs)));
    }
    if (part.kind !== "duration" || part.field === "messageAge") return Number.POSITIVE_INFINITY;
    if (part.field === "age") return Math.max(...part.oneOf.map(upperEnd));
    if (retentionMs === null) return Number.POSITIVE_INFINITY;
    return Math.max(...part.oneOf.map((pattern) => upperEnd(mirrored(pattern, retentionMs))));
  });
  return Math.min(Number.POSITIVE_INFINITY, ...limits);
}

/** What must hold, all of it. */
function partsOf(condition: Condition): readonly Condition[] {
  return condition.kind === "all" ? condition.of.flatMap(partsOf) : [condition];
}

function isLeaf(condition: Condition): condition is Leaf {
  switch (condition.kind) {
    case "any":
    case "all":
    case "some":
    case "not":
      return false;
    case "text":
    case "header":
    case "number":
    case "duration":
    case "address":
    case "value":
      return true;
  }
}

function mirrored(pattern: NumberPattern, sum: number): NumberPattern {
  return pattern.kind === "range"
    ? { kind: "range", from: sum - pattern.to, to: sum - pattern.from }
    : pattern;
}

function upperEnd(pattern: NumberPattern): number {
  return pattern.kind === "range" ? pattern.to : Number.POSITIVE_INFINITY;
}
