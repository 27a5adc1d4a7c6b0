import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadDocument } from "../../../src/config/document/load-document.ts";
import { settingRows } from "../../../src/config/settings/settings-table.ts";
import { readDoc } from "../../support/markdown.ts";
import {
  isKustomizeHere,
  only,
  renderWith,
  withComponents,
  type Tree,
} from "../../support/kubernetes/kustomize.ts";

const podOf = (objects: readonly Tree[]): Tree => only(objects, "Deployment").spec.template.spec;
const policyOf = (objects: readonly Tree[], name: string): Tree => only(objects, "NetworkPolicy", name).spec;

describe.skipIf(!isKustomizeHere)("the component for callbacks", () => {
  const objects = isKustomizeHere ? withComponents("callbacks") : [];

  it("opens the port of callbacks, and nothing but that, to the ingress alone", () => {
    const port = settingRows["callback.port"].default;
    expect(policyOf(objects, "redriver-callbacks").ingress).toEqual([
      {
        from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } }],
        ports: [{ protocol: "TCP", port }],
      },
    ]);
    const service = only(objects, "Service").spec;
    expect(service.ports).toMatchObject([{ targetPort: port }]);
    expect(only(objects, "Deployment").spec.template.metadata.labels).toMatchObject(service.selector);
  });

  it("mounts the keys and routes the address that its own words name", () => {
    const comment = readDoc("deploy/components/callbacks/kustomization.yaml")
      .split("\n")
      .filter((line) => line.startsWith("#   "))
      .map((line) => line.slice(4))
      .join("\n");
    const outcome = loadDocument(`version: 1\n${comment}\ndrains: { a: { rules: [] } }\n`, "comment");
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
    const { callbacks } = outcome.document.sources[0]!;
    const [mount] = podOf(objects).containers[0].volumeMounts.filter(({ name }: Tree) => name === "secrets");
    expect(callbacks!.keys).toEqual(
      ["signing-key", "next-signing-key"].map((key) => ({ kind: "file", path: `${mount.mountPath}/${key}` })),
    );
    const { rules, tls } = only(objects, "Ingress").spec;
    const [{ path: prefix, backend }] = rules[0].http.paths;
    expect(`https://${rules[0].host}${prefix}`).toBe(callbacks!.url);
    expect(tls[0].hosts).toEqual([rules[0].host]);
    expect(backend.service.name).toBe(only(objects, "Service").metadata.name);
  });
});

describe.skipIf(!isKustomizeHere)("the component for an archive", () => {
  it("has a volume that all replicas may write to, where the document of its comment keeps the archive", () => {
    const objects = withComponents("archive-volume");
    const said = /`archive: \{ dir: ([^ ,]+)/.exec(
      readDoc("deploy/components/archive-volume/kustomization.yaml"),
    );
    const { volumeMounts } = podOf(objects).containers[0];
    expect(volumeMounts).toContainEqual({ name: "archive", mountPath: said?.[1] });
    expect(only(objects, "PersistentVolumeClaim").spec.accessModes).toEqual(["ReadWriteMany"]);
  });
});

describe.skipIf(!isKustomizeHere)("the component for OpenShift", () => {
  it("names no user anywhere, whatever else there is", () => {
    const objects = renderWith(["base", "redis"], ["components/openshift", "components/apply"]);
    expect(JSON.stringify(objects)).not.toMatch(/"(runAsUser|runAsGroup|fsGroup)"/);
    expect(podOf(objects).securityContext).toEqual({
      fsGroupChangePolicy: "OnRootMismatch",
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
  });
});

describe.skipIf(!isKustomizeHere)("the component for KEDA", () => {
  it("reads what is due from the daemon's own port, and never scales to none", () => {
    const objects = withComponents("keda");
    const { spec } = only(objects, "ScaledObject");
    expect(spec.scaleTargetRef.name).toBe(only(objects, "Deployment").metadata.name);
    expect("replicas" in only(objects, "Deployment").spec).toBe(false);
    expect(spec.minReplicaCount).toBe(1);
    const [trigger] = spec.triggers;
    const service = only(objects, "Service");
    const { name, namespace } = service.metadata;
    const { port } = service.spec.ports[0];
    expect(trigger.metadata.url).toBe(`http://${name}.${namespace}.svc:${port}/metrics`);
    const [, metric, drain] = /^(\w+)\{drain="(\w+)",state="due"\}$/.exec(trigger.metadata.valueLocation)!;
    expect(readDoc("docs/metrics.md")).toContain(`\`${metric}\``);
    expect(only(objects, "ConfigMap", "redriver-drains").data["drains.yaml"]).toContain(`\n  ${drain}:\n`);
    expect(policyOf(objects, "redriver-keda").ingress[0].ports).toEqual([{ protocol: "TCP", port: "http" }]);
  });
});

describe.skipIf(!isKustomizeHere)("the component for a forward proxy", () => {
  it("sets the proxy, and lets out to its address and port, which stays a number", () => {
    const objects = withComponents("egress-proxy");
    const { data } = parse(readDoc("deploy/overlays/production/settings.yaml"));
    const settings = only(objects, "ConfigMap", "redriver-settings").data;
    const { REDRIVER_PROXY_URL: url, REDRIVER_PROXY_EXCEPT: except } = settings;
    expect([url, except]).toEqual([data.egressProxy, data.noProxy]);
    const port = Number(data.egressProxyPort);
    expect(new URL(url).port).toBe(String(port));
    expect(policyOf(objects, "redriver-egress-proxy").egress).toEqual([
      { to: [{ ipBlock: { cidr: data.egressProxyCidr } }], ports: [{ protocol: "TCP", port }] },
    ]);
    // The base admits no private address but that of DNS and Redis.
    expect(data.egressProxyCidr).toMatch(/^10\./);
  });
});

describe.skipIf(!isKustomizeHere)("the component for the doctor", () => {
  const same = ["image", "envFrom", "env", "resources", "securityContext", "volumeMounts"];

  it.each([
    ["alone", []],
    ["with an archive and a proxy", ["archive-volume", "egress-proxy"]],
    ["whatever else there is", ["console", "callbacks", "openshift", "redis-sentinel"]],
  ])("asks before the daemon begins, with all that the daemon has, %s", (_, others) => {
    for (const names of [
      ["doctor", ...others],
      [...others, "doctor"],
    ]) {
      const pod = podOf(withComponents(...names));
      const [doctor, ...more] = pod.initContainers;
      expect(more).toEqual([]);
      expect(Object.keys(doctor).toSorted()).toEqual([...same, "args", "name"].toSorted());
      for (const name of same) expect(doctor[name]).toEqual(pod.containers[0][name]);
      expect(doctor.args).toEqual(["doctor", "--json"]);
    }
  });

  it("is for the daemon alone: neither a pass nor a plan waits for it", () => {
    const names = ["doctor", "drain-only", "apply"];
    for (const objects of [withComponents(...names), withComponents(...names.toReversed())]) {
      expect("initContainers" in only(objects, "Job").spec.template.spec).toBe(false);
      expect("initContainers" in only(objects, "CronJob").spec.jobTemplate.spec.template.spec).toBe(false);
    }
  });
});
