import { describe, expect, it } from "vitest";
import { referenceProblems } from "../../support/kubernetes/check-references.ts";
import { typeProblems } from "../../support/kubernetes/check-types.ts";
import { components, overlays } from "../../support/kubernetes/deploy-folders.ts";
import { deploy, isKustomizeHere, renderAt, renderWith, sorted } from "../../support/kubernetes/kustomize.ts";

const base = ["base", "redis"];

describe.skipIf(!isKustomizeHere)("what deploy/ renders to", () => {
  it("is right in each overlay", () => {
    const rendered = overlays.map((overlay) => renderAt(`${deploy}/${overlay}`));
    expect(rendered.length).toBeGreaterThan(1);
    expect(rendered.map(referenceProblems)).toEqual(rendered.map(() => []));
    expect(typeProblems(rendered.flat())).toEqual([]);
  });

  it("is right with all components, has nothing of a placeholder, and is the same in whichever order", () => {
    const objects = renderWith(base, components);
    expect([...referenceProblems(objects), ...typeProblems(objects)]).toEqual([]);
    expect(JSON.stringify(objects)).not.toMatch(/setting-[a-z]/);
    expect(sorted(renderWith(base, components.toReversed()))).toEqual(sorted(objects));
  });

  it("is not right with an unknown field, without one that must be there, or with a name that leads nowhere", () => {
    const objects = structuredClone(renderAt(`${deploy}/overlays/plan`));
    const [container] = objects.find(({ kind }) => kind === "Deployment").spec.template.spec.containers;
    container.readinessProbe.periodSecond = 3;
    delete container.ports[0].containerPort;
    container.volumeMounts[0].name = "drain";
    expect([...typeProblems(objects), ...referenceProblems(objects)].toSorted()).toEqual([
      expect.stringContaining("'\"periodSecond\"' does not exist in type 'Probe'"),
      expect.stringContaining("'containerPort' is missing"),
      "Deployment redriver: redriver mounts drain, which is no volume",
    ]);
  });
});
