import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { casesOf, fuzzSeed } from "../../support/fuzzing.ts";
import { referenceProblems } from "../../support/kubernetes/check-references.ts";
import { typeProblems } from "../../support/kubernetes/check-types.ts";
import { components } from "../../support/kubernetes/deploy-folders.ts";
import { isKustomizeHere, renderWith, sorted, type Tree } from "../../support/kubernetes/kustomize.ts";

const base = ["base", "redis"];
const all = components.flatMap((one, index) =>
  components.slice(index + 1).map((other) => [one, other] as const),
);
/** Each pair is two runs of kubectl. Other ones each time, unless `FUZZ_SEED` is set. */
const length = Math.min(all.length, casesOf(all.length));
const [pairs = []] = fc.sample(fc.shuffledSubarray(all, { minLength: length, maxLength: length }), {
  seed: fuzzSeed,
  numRuns: 1,
});

describe.skipIf(!isKustomizeHere)("components of deploy/", () => {
  const rendered: Tree[] = [];

  it.each(components)("are right alone: %s", (component) => {
    const objects = renderWith(base, [component]);
    expect(referenceProblems(objects)).toEqual([]);
    expect(JSON.stringify(objects)).not.toMatch(/setting-[a-z]/);
    rendered.push(...objects);
  });

  it.each(pairs)("are the same in both orders, two by two: %s and %s", (one, other) => {
    const objects = renderWith(base, [one, other]);
    expect(sorted(renderWith(base, [other, one]))).toEqual(sorted(objects));
    expect(referenceProblems(objects)).toEqual([]);
    rendered.push(...objects);
  });

  it("have only fields that Kubernetes knows", () => {
    expect(rendered.length).toBeGreaterThan(pairs.length);
    expect(typeProblems(rendered)).toEqual([]);
  });
});
