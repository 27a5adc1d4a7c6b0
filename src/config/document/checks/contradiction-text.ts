import type { Leaf } from "../../../rules/lint/covers.ts";
import { describeCondition } from "../../../rules/describe-condition.ts";
import type { Contradiction } from "../../../rules/lint/never-holds.ts";
import { toPathText, type Problem } from "../../problem.ts";
import type { Places } from "../to-condition.ts";

/** The sentence about what never holds, with the value found and what would hold. */
export function toContradictionWarning(
  contradiction: Contradiction,
  places: Places,
): Pick<Problem, "expected" | "message"> & { readonly found?: string } {
  switch (contradiction.kind) {
    case "impossible": {
      const { patterns, whole } = contradiction;
      const said = patterns.map((one) => one.said).join(", ");
      const why = [...new Set(patterns.map((one) => one.why))].join("; ");
      const expected = [...new Set(patterns.map((one) => one.wanted))].join("; ");
      const head = whole ? "can never hold" : "matches less than it says";
      return { expected, found: said, message: `${head}: got ${said}, but ${why}; expected ${expected}` };
    }
    case "disjoint": {
      const { at, beside } = contradiction;
      const [one, other] = [describeShort(beside), describeShort(at)];
      const way = toPathText(places.get(beside) ?? []);
      const expected = "tests that one record can fulfil; a list is or, keys and all are and";
      const together = at.kind === "duration" && beside.kind === "duration" && at.field !== beside.field;
      const why = together ? ": age and timeLeft are the source's retention together" : "";
      const message = `can never hold: no record for which ${other} is one for which ${one} (${way})${why}`;
      return { expected, found: other, message };
    }
    case "excluded":
      return {
        expected: "a not that leaves something of what stands beside it",
        message: "can never hold: this excludes whatever the tests beside it let through",
      };
  }
}

const longest = 120;

/** A list of a thousand values is no help in a sentence. */
function describeShort(leaf: Leaf): string {
  const text = describeCondition(leaf);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
