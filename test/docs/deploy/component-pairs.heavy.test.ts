import { describe, expect, it } from "vitest";
import { referenceProblems } from "../../support/kubernetes/check-references.ts";
import { typeProblems } from "../../support/kubernetes/check-types.ts";
import { components } from "../../support/kubernetes/deploy-folders.ts";
import { isKustomizeHere, renderWith, sorted, type Tree } from "../../support/kubernetes/kustomize.ts";

const base = ["base", "redis"];
const pairs = components.flatMap((one, index) =>
  components.slice(index + 1).map((other) => [one, other] as const),
);

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
