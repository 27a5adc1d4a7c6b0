import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readDoc, root } from "../../support/markdown.ts";
import { components, overlays } from "../../support/kubernetes/deploy-folders.ts";
import {
  deploy,
  isKustomizeHere,
  named,
  only,
  renderAt,
  type Tree,
} from "../../support/kubernetes/kustomize.ts";

const { version } = JSON.parse(readDoc("package.json")) as { readonly version: string };
const label = (name: string): string => `app.kubernetes.io/${name}`;

/** Production with every component, in a namespace of this name. */
function renderIn(namespace: string): readonly Tree[] {
  const folder = mkdtempSync(path.join(root, ".cache/overlay-"));
  const to = (part: string): string => path.relative(folder, path.join(deploy, part));
  // Production has this one already.
  const others = components.filter((name) => name !== "components/monitoring");
  try {
    const resources = [to("overlays/production"), to("redis")];
    const pairs = parse(readDoc("deploy/overlays/production/kustomization.yaml")).labels;
    writeFileSync(
      path.join(folder, "kustomization.yaml"),
      JSON.stringify({ namespace, resources, components: others.map(to), labels: pairs }),
    );
    return renderAt(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(!isKustomizeHere)("objects of deploy/", () => {
  const all = isKustomizeHere ? overlays.map((overlay) => renderAt(`${deploy}/${overlay}`)) : [];

  it("have the labels that tools look for, and a version that is this one's", () => {
    const expected = ["name", "component", "instance", "part-of", "managed-by"].map(label);
    for (const { metadata } of [...all.flat(), ...renderIn("elsewhere")]) {
      expect(Object.keys(metadata.labels)).toEqual(expect.arrayContaining(expected));
    }
    for (const objects of all) {
      const deployment = named(objects, "Deployment", "redriver");
      const { labels } = deployment.spec.template.metadata;
      expect([deployment.metadata.labels[label("version")], labels[label("version")]]).toEqual([
        version,
        version,
      ]);
      expect(deployment.spec.template.spec.containers[0].image).toMatch(new RegExp(`:${version}$`));
    }
  });

  it("keep a version out of what cannot be changed", () => {
    const fixed = all.flat().flatMap(({ spec }) => [spec?.selector, spec?.volumeClaimTemplates]);
    expect(JSON.stringify(fixed)).not.toContain(label("version"));
  });

  it("are all in the namespace that the overlay says, whichever that is", () => {
    const objects = renderIn("elsewhere");
    expect(only(objects, "Namespace").metadata.name).toBe("elsewhere");
    const others = objects.filter(({ kind }) => kind !== "Namespace");
    expect(new Set(others.map(({ metadata }) => metadata.namespace))).toEqual(new Set(["elsewhere"]));
  });
});
