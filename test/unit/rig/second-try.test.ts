import { describe, expect, it } from "vitest";
import { atLeast, atMost, exactly, timed, type Figure } from "../../rig/figures.ts";
import { toTryAgain, withSecondTry } from "../../rig/second-try.ts";

const resultOf = (scenario: string, ...figures: readonly Figure[]) => ({ scenario, figures, tookMs: 1 });
const slow = timed(atMost("seconds", 9, 8));
const quick = timed(atMost("seconds", 7, 8));
const flood = atMost("publishes while it was down", 21, 20);
const doubled = exactly("delivered more than once", 1, 0);

describe("a second try of scenarios", () => {
  it("is for those that missed times and rates and nothing else", () => {
    const tries = toTryAgain([
      resultOf("well", quick),
      resultOf("slow", slow, timed(atLeast("per second", 2, 8))),
      resultOf("floods", flood),
      resultOf("slow and floods", slow, flood),
      resultOf("doubles", doubled),
      resultOf("slow and doubles", slow, doubled),
    ]);
    expect([...tries]).toEqual(["slow"]);
  });

  it("takes the place of the first, and names what held only then", () => {
    const first = [resultOf("slow", slow), resultOf("slower", slow), resultOf("well", quick)];
    const second = [resultOf("slow", quick), resultOf("slower", doubled)];
    expect(withSecondTry(first, second)).toEqual({
      results: [second[0], second[1], first[2]],
      passedAtSecondTry: ["slow: seconds: 9, at most 8"],
    });
  });

  it("changes nothing of a first one that is counted alone", () => {
    const first = [resultOf("slow", slow)];
    expect(withSecondTry(first, first)).toEqual({ results: first, passedAtSecondTry: [] });
  });
});
