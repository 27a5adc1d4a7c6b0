import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { referenceProblems } from "../../support/kubernetes/check-references.ts";
import { typeProblems } from "../../support/kubernetes/check-types.ts";
import { helm, isHelmHere, renderChart } from "../../support/kubernetes/helm.ts";
import {
  deploy,
  isKustomizeHere,
  renderOverlay,
  withComponents,
  sorted,
  type Tree,
} from "../../support/kubernetes/kustomize.ts";
import { readDoc } from "../../support/markdown.ts";

const schema = JSON.parse(readDoc("deploy/chart/values.schema.json"));
const components: readonly string[] = schema.properties.components.items.enum;
const { namespace: _, ...settings }: Readonly<Record<string, string>> = parse(
  readDoc("deploy/overlays/production/settings.yaml"),
).data;
const production = {
  drains: readDoc("deploy/overlays/production/drains.yaml"),
  components: ["monitoring"],
  settings,
  monitoringLabels: { release: "kube-prometheus-stack" },
};

const ofTool = ["helm.sh/chart", "app.kubernetes.io/managed-by"];
/** What all objects of an overlay have, and those of a rendering without one do not. */
const ofOverlay = ["app.kubernetes.io/instance", "app.kubernetes.io/part-of"];

/** Without what kustomize and Helm do each in its way: the namespace, names of ConfigMaps, labels that name the tool. */
function comparable(objects: readonly Tree[], without: readonly string[] = []): readonly Tree[] {
  const text = JSON.stringify(objects.filter(({ kind }) => kind !== "Namespace"));
  const plain: readonly Tree[] = JSON.parse(
    text.replaceAll(/"(redriver(?:-[a-z]+)+)-[a-z0-9]{10}"/g, '"$1"'),
  );
  for (const { metadata, spec } of plain) {
    for (const name of [...ofTool, ...without]) delete metadata.labels[name];
    delete spec?.template?.metadata.annotations?.["checksum/config"];
  }
  return sorted(plain);
}

/** What helm says of values that it must refuse. */
function refused(values: object): string {
  const { status, stderr } = helm(["template", "redriver"], values);
  expect(status).toBe(1);
  return stderr;
}

/** What helm says after an install. */
const notes = (values: object): string =>
  helm(["install", "redriver", "--dry-run=client"], values).stdout.split("NOTES:")[1]!;

function checksum(values: object): string {
  const deployment = renderChart(values).find(({ kind }) => kind === "Deployment");
  return deployment.spec.template.metadata.annotations["checksum/config"];
}

describe.skipIf(!isHelmHere)("the chart", () => {
  it("refuses values that it does not know, and a component without its settings", () => {
    expect(refused({ replica: 3 })).toContain("replica");
    expect(refused({ replicas: 0 })).toContain("minimum");
    expect(refused({ components: ["drain-only"] })).toContain("components");
    expect(refused({ env: { LOG_LEVEL: "debug" } })).toContain("LOG_LEVEL");
    expect(refused({ components: ["console"] })).toMatch(/expected settings\.\w+/);
  });

  it("has a schema for exactly its values, with exactly the settings of the components", () => {
    const values = parse(readDoc("deploy/chart/values.yaml"));
    expect(Object.keys(schema.properties).toSorted()).toEqual([...Object.keys(values), "global"].toSorted());
    expect(Object.keys(schema.properties.settings.properties)).toEqual(Object.keys(settings));
    const folders = readdirSync(path.join(deploy, "components"));
    // Both copy the pod of the daemon, which only kustomize can.
    expect(folders.filter((name) => !components.includes(name))).toEqual(["apply", "drain-only"]);
  });

  it("passes helm's own lint, and is right by the types of Kubernetes", () => {
    const all = { ...production, components };
    expect(helm(["lint", "--strict"], all)).toMatchObject({ status: 0 });
    const objects = renderChart(all);
    expect([...referenceProblems(objects), ...typeProblems(objects)]).toEqual([]);
    expect(JSON.stringify(objects)).not.toMatch(/setting-[a-z]/);
  });

  it("makes a changed document or setting a rollout", () => {
    const plain = checksum({});
    expect(checksum({ replicas: 3 })).toBe(plain);
    expect(checksum({ env: { REDRIVER_LOG_LEVEL: "debug" } })).not.toBe(plain);
    expect(checksum({ drains: production.drains })).not.toBe(plain);
  });

  it("keeps each claim that it makes, through an upgrade without it and through uninstall", () => {
    const claims = renderChart({ ...production, components }).filter(
      ({ kind }) => kind === "PersistentVolumeClaim",
    );
    expect(claims.map(({ metadata }) => metadata.name)).toEqual(["redriver-archive"]);
    expect(claims.map(({ metadata }) => metadata.annotations)).toEqual([
      { "helm.sh/resource-policy": "keep" },
    ]);
  });

  it("says after an install whether it acts", () => {
    expect(notes({})).toContain("only plans");
    expect(notes({ drains: production.drains })).toMatch(/acts[^]*redriver pause --all --reason/);
  });

  it("names each value in its page", () => {
    const page = readDoc("deploy/chart/README.md");
    const values = Object.keys(parse(readDoc("deploy/chart/values.yaml")));
    expect(values.filter((name) => !new RegExp(`\`${name}[\`.]`).test(page))).toEqual([]);
  });

  it("takes what a cluster asks of pods", () => {
    const { spec } = renderChart({
      image: { repository: "mirror.example.com/redriver", tag: "1.2.3" },
      secret: "own",
      nodeSelector: { pool: "small" },
      tolerations: [{ key: "spot", operator: "Exists" }],
      imagePullSecrets: [{ name: "mirror" }],
      resources: { limits: { memory: "1Gi" } },
    }).find(({ kind }) => kind === "Deployment").spec.template;
    expect(spec).toMatchObject({
      nodeSelector: { pool: "small" },
      tolerations: [{ key: "spot", operator: "Exists" }],
      imagePullSecrets: [{ name: "mirror" }],
    });
    expect(spec.containers[0].image).toBe("mirror.example.com/redriver:1.2.3");
    expect(spec.containers[0].resources).toMatchObject({
      limits: { memory: "1Gi" },
      requests: { memory: "256Mi" },
    });
    expect(spec.volumes.find(({ name }: Tree) => name === "secrets").secret.secretName).toBe("own");
  });
});

describe.skipIf(!isHelmHere || !isKustomizeHere)("chart and overlays", () => {
  it("are the same first visit", () => {
    const chart = renderChart({ env: { REDRIVER_LOG_LEVEL: "debug" } });
    expect(comparable(chart)).toEqual(comparable(renderOverlay("plan")));
  });

  it("are the same in production", () => {
    expect(comparable(renderChart(production))).toEqual(comparable(renderOverlay("production")));
  });

  it.each([...components, "doctor and archive-volume", components.join(" and ")])(
    "are the same with %s",
    (listed) => {
      const names = listed.split(" and ");
      const overlay = withComponents(...names);
      const chart = renderChart({ image: { repository: "redriver" }, components: names, settings });
      for (const { spec } of chart.filter(({ kind }) => kind === "Deployment")) {
        // Without an overlay nobody says which tag.
        const { containers, initContainers = [] } = spec.template.spec;
        for (const one of [containers[0], ...initContainers]) one.image = "redriver";
      }
      expect(comparable(chart, ofOverlay)).toEqual(comparable(overlay, ofOverlay));
    },
  );
});
