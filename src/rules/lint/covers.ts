import { patternCovers, rangesCover } from "./pattern-covers.ts";
import type { Condition } from "../spec.ts";

/** How many questions may still be asked; a hostile document has lists of lists to compare. */
export interface Budget {
  left: number;
}

/**
 * Whether every record for which `later` holds is one for which `earlier` holds. False means "not proved": only what follows
 * from the patterns themselves is seen.
 */
export function covers(earlier: Condition, later: Condition, budget: Budget): boolean {
  budget.left -= 1;
  if (budget.left <= 0) return false;
  if (earlier.kind === "any") return true;
  // What must hold beside each other first: each part of `earlier` needs its own proof, one part of `later` suffices for it.
  if (earlier.kind === "all") return earlier.of.every((inner) => covers(inner, later, budget));
  if (later.kind === "some") return later.of.every((inner) => covers(earlier, inner, budget));
  if (later.kind === "all" && later.of.some((inner) => covers(earlier, inner, budget))) return true;
  if (earlier.kind === "some") return earlier.of.some((inner) => covers(inner, later, budget));
  if (earlier.kind === "not") return later.kind === "not" && covers(later.of, earlier.of, budget);
  if (later.kind === "not" || later.kind === "all" || later.kind === "any") return false;
  return leafCovers(earlier, later, budget);
}

/** A test of one field. */
export type Leaf = Exclude<Condition, { kind: "any" | "all" | "some" | "not" }>;

function leafCovers(earlier: Leaf, later: Leaf, budget: Budget): boolean {
  switch (earlier.kind) {
    case "text":
      return (
        later.kind === "text" &&
        earlier.field === later.field &&
        later.oneOf.every((pattern) =>
          earlier.oneOf.some((candidate) => patternCovers(candidate, pattern, budget, earlier.field)),
        )
      );
    case "header":
      return (
        later.kind === "header" &&
        earlier.of === later.of &&
        earlier.name.toLowerCase() === later.name.toLowerCase() &&
        later.oneOf.every((pattern) =>
          earlier.oneOf.some((candidate) => patternCovers(candidate, pattern, budget)),
        )
      );
    case "number":
    case "duration":
      return (
        later.kind === earlier.kind &&
        earlier.field === later.field &&
        rangesCover(earlier.oneOf, later.oneOf, budget)
      );
    case "address":
      return (
        later.kind === "address" &&
        later.oneOf.every((pattern) =>
          earlier.oneOf.some((candidate) => patternCovers(candidate, pattern, budget)),
        )
      );
    case "value":
      return (
        later.kind === "value" &&
        earlier.field === later.field &&
        earlier.pointer === later.pointer &&
        later.oneOf.every((pattern) =>
          earlier.oneOf.some((candidate) => patternCovers(candidate, pattern, budget)),
        )
      );
  }
}
