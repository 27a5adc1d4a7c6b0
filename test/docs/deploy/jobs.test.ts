import { describe, expect, it } from "vitest";
import { isKustomizeHere, only, withComponents, type Tree } from "../../support/kubernetes/kustomize.ts";

const daemon: Tree = isKustomizeHere ? only(withComponents(), "Deployment").spec.template.spec : undefined;
/** What a Job's pod has as the daemon's does. */
const shared = "securityContext serviceAccountName automountServiceAccountToken enableServiceLinks".split(
  " ",
);

function expectLikeDaemon(pod: Tree): void {
  for (const name of shared) expect(pod[name]).toEqual(daemon[name]);
  const [container] = pod.containers;
  const [ofDaemon] = daemon.containers;
  expect(pod.containers).toHaveLength(1);
  expect(container).toMatchObject({
    image: ofDaemon.image,
    envFrom: ofDaemon.envFrom,
    resources: ofDaemon.resources,
    securityContext: ofDaemon.securityContext,
  });
  expect(container.env).toEqual(expect.arrayContaining(ofDaemon.env));
  expect(container.volumeMounts).toEqual(expect.arrayContaining(ofDaemon.volumeMounts));
  expect(pod.volumes).toEqual(expect.arrayContaining(daemon.volumes));
  expect(Object.keys(container).filter((name) => /Probe$|^ports$/.test(name))).toEqual([]);
  expect(pod.restartPolicy).toBe("Never");
}

describe.skipIf(!isKustomizeHere)("the component that only drains", () => {
  const objects = isKustomizeHere ? withComponents("console", "drain-only") : [];

  it("makes passes with the daemon's pod and settings, one at a time", () => {
    const { spec } = only(objects, "CronJob");
    const { template } = spec.jobTemplate.spec;
    expect(spec.concurrencyPolicy).toBe("Forbid");
    expect(template.spec.containers[0].args).toEqual(["drain", "--all", "--yes"]);
    expectLikeDaemon({ ...template.spec, containers: withoutSettings(template.spec.containers) });
  });

  it("leaves no daemon, and nothing that is for one", () => {
    expect(objects.filter(({ kind }) => /^(Deployment|PodDisruptionBudget)$/.test(kind))).toEqual([]);
  });
});

describe.skipIf(!isKustomizeHere)("the component that applies a plan", () => {
  it("applies the file, in the name and for the reason that the ConfigMap has", () => {
    const objects = withComponents("apply");
    const { spec } = only(objects, "Job");
    expectLikeDaemon(spec.template.spec);
    const [container] = spec.template.spec.containers;
    const words = "apply /plan/plan.ndjson --by $(PLAN_BY) --reason $(PLAN_REASON) --yes";
    expect(container.args).toEqual(words.split(" "));
    expect(container.volumeMounts).toContainEqual({ name: "plan", mountPath: "/plan", readOnly: true });
    const { matchLabels } = only(objects, "Deployment").spec.selector;
    expect(spec.template.metadata.labels).not.toMatchObject(matchLabels);
    expect(spec.backoffLimit).toBe(0);
  });
});

/** The settings of the console are one more thing in a ConfigMap, so its name is another. */
function withoutSettings(containers: readonly Tree[]): readonly Tree[] {
  return containers.map((container) => ({ ...container, envFrom: daemon.containers[0].envFrom }));
}
