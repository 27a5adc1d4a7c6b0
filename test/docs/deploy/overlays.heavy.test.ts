import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadDocument } from "../../../src/config/document/load-document.ts";
import { settingNames, settingRows, toEnvName } from "../../../src/config/settings/settings-table.ts";
import { isKustomizeHere, only, renderOverlay, type Tree } from "../../support/kubernetes/kustomize.ts";
import { readDoc, root } from "../../support/markdown.ts";

const documentOf = (overlay: string): Tree =>
  parse(only(renderOverlay(overlay), "ConfigMap", "redriver-drains").data["drains.yaml"]);
const load = (overlay: string) => {
  const { data } = only(renderOverlay(overlay), "ConfigMap", "redriver-drains");
  const outcome = loadDocument(data["drains.yaml"], `${overlay}/drains.yaml`);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems));
  return { warnings: outcome.warnings, modes: outcome.document.drains.map(({ mode }) => mode) };
};

const seconds = (duration: string | number | null) => {
  const match = /^(\d+)s$/.exec(String(duration));
  if (match === null) throw new Error(`expected seconds, got ${duration}`);
  return Number(match[1]);
};

describe.skipIf(!isKustomizeHere).each(["plan", "production"])("the overlay %s", (overlay) => {
  if (!isKustomizeHere) return;
  const objects = renderOverlay(overlay);
  const pod = only(objects, "Deployment").spec.template.spec;
  const [container] = pod.containers;

  it("meets the restricted standard, which its namespace enforces, without a right or a writable root", () => {
    const { labels } = only(objects, "Namespace").metadata;
    expect(labels["pod-security.kubernetes.io/enforce"]).toBe("restricted");
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.serviceAccountName).toBe(only(objects, "ServiceAccount").metadata.name);
    expect(only(objects, "ServiceAccount").automountServiceAccountToken).toBe(false);
    expect(objects.filter(({ kind }) => /Role/.test(kind))).toEqual([]);
  });

  it("sets only variables that are settings, and none that Kubernetes makes up", () => {
    const settings = only(objects, "ConfigMap", "redriver-settings");
    const names = [...container.env.map(({ name }: Tree) => name), ...Object.keys(settings.data)];
    const known = ["NODE_OPTIONS", ...settingNames.map(toEnvName)];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    const needed = ["SERVICE_URL", "SERVICE_TOKEN_FILE", "REDIS_URL_FILE", "DRAINS_FILE"];
    expect(names).toEqual(expect.arrayContaining(needed.map((name) => `REDRIVER_${name}`)));
    expect(container.envFrom).toEqual([{ configMapRef: { name: settings.metadata.name } }]);
    expect(pod.enableServiceLinks).toBe(false);
  });

  it("mounts the document and the secrets where the settings look for them, as whole directories", () => {
    const value = (name: string) => container.env.find((entry: Tree) => entry.name === name).value;
    const mounts = container.volumeMounts;
    expect(mounts.map(({ mountPath }: Tree) => mountPath)).toEqual([
      path.posix.dirname(value("REDRIVER_DRAINS_FILE")),
      path.posix.dirname(value("REDRIVER_SERVICE_TOKEN_FILE")),
      // The daemon makes the socket's own folder, which nobody else may write to.
      path.posix.dirname(path.posix.dirname(value("REDRIVER_SOCKET_PATH"))),
    ]);
    expect(mounts.filter((mount: Tree) => "subPath" in mount)).toEqual([]);
    expect(mounts.filter((mount: Tree) => mount.readOnly !== true)).toEqual([mounts[2]]);
    const drains = only(objects, "ConfigMap", "redriver-drains");
    expect(drains.metadata.name).toMatch(/^redriver-drains-\w+$/);
    expect(Object.keys(drains.data)).toEqual([path.posix.basename(value("REDRIVER_DRAINS_FILE"))]);
  });

  it("waits at a stop for the drain's deadline, the longest request and five seconds", () => {
    const requests = ["list", "batch", "delete"] as const;
    const longest = Math.max(
      ...requests.map((name) => seconds(settingRows[`service.${name}Timeout`].default)),
    );
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      seconds(settingRows["shutdown.hard"].default) + longest + 5,
    );
  });

  it("probes the one port that it serves, and lets in at most Prometheus", () => {
    expect(container.ports).toEqual([{ name: "http", containerPort: 9466, protocol: "TCP" }]);
    expect(settingRows["http.port"].default).toBe(9466);
    expect(container.env).toContainEqual({ name: "REDRIVER_HTTP_PORT", value: "9466" });
    expect(container.startupProbe.httpGet).toEqual({ path: "/livez", port: "http" });
    expect(container.livenessProbe.httpGet).toEqual({ path: "/livez", port: "http" });
    expect(container.readinessProbe.httpGet).toEqual({ path: "/readyz", port: "http" });
    const doors = objects
      .filter(({ kind }) => kind === "NetworkPolicy")
      .flatMap(({ spec }) => spec.ingress ?? [])
      .map(({ ports }) => ports);
    const monitored = [[{ protocol: "TCP", port: "http" }]];
    expect(doors).toEqual(overlay === "production" ? monitored : []);
  });
});

describe.skipIf(!isKustomizeHere)("what the overlays differ in", () => {
  it("is the mode of the drains document and nothing else of it", () => {
    const plan = documentOf("plan");
    const production = documentOf("production");
    expect(plan.defaults.mode).toBe("plan");
    expect(production.defaults.mode).toBe("live");
    expect(Object.values<Tree>(plan.drains).filter((drain) => "mode" in drain)).toEqual([]);
    expect({ ...plan, defaults: { ...plan.defaults, mode: "live" } }).toEqual(production);
  });

  it("decides by documents that load without a warning, and never acts in the first visit", () => {
    expect(load("plan")).toEqual({ warnings: [], modes: ["plan"] });
    expect(load("production")).toEqual({ warnings: [], modes: ["live"] });
    expect(load("development")).toEqual({ warnings: [], modes: ["live"] });
  });

  it("does not keep the alerts from knowing the job they speak of", () => {
    const objects = renderOverlay("production");
    const monitor = only(objects, "PodMonitor").spec;
    const { labels } = only(objects, "Deployment").spec.template.metadata;
    expect(labels).toMatchObject(monitor.selector.matchLabels);
    expect(monitor.podMetricsEndpoints).toMatchObject([{ port: "http", path: "/metrics" }]);
    const expressions = only(objects, "PrometheusRule").spec.groups.flatMap(({ rules }: Tree) =>
      rules.map(({ expr }: Tree) => expr),
    );
    const jobs = [...expressions.join("\n").matchAll(/job="([^"]*)"/g)].map((match) => match[1]);
    expect(new Set(jobs)).toEqual(new Set([labels[monitor.jobLabel]]));
  });
});

describe("the Dockerfile", () => {
  const lines = readDoc("Dockerfile")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const instructions = (name: string) =>
    lines.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1).trim());
  const deployed: Tree = parse(readDoc("deploy/base/deployment.yaml"));
  const fromContext = instructions("COPY")
    .filter((copy) => !copy.startsWith("--from="))
    .flatMap((copy) => copy.split(/\s+/).slice(0, -1));

  it("needs no shell to run: its last stage has neither RUN nor the shell form of a command", () => {
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith("FROM ")));
    expect(last.filter((line) => line.startsWith("RUN "))).toEqual([]);
    expect(last.filter((line) => /^(ENTRYPOINT|CMD) [^[]/.test(line))).toEqual([]);
    expect(last.join("\n")).toContain("COPY --from=build /app/bin /usr/local/bin");
  });

  it("copies only what there is, and .dockerignore lets in exactly that", () => {
    expect(fromContext.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
    const ignore = readDoc(".dockerignore")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(ignore[0]).toBe("*");
    expect(ignore.slice(1).toSorted()).toEqual(fromContext.map((file) => `!${file}`).toSorted());
  });

  it("runs the command as the user that the Deployment says, and nothing as root", () => {
    const { runAsUser, runAsGroup } = deployed.spec.template.spec.securityContext;
    expect(new Set(instructions("USER"))).toEqual(new Set([`${runAsUser}:${runAsGroup}`]));
    expect(runAsUser).toBeGreaterThan(0);
    expect(instructions("ENTRYPOINT").at(-1)).toBe('["node", "/app/dist/main.js"]');
    expect(instructions("CMD").at(-1)).toBe('["run"]');
    expect(deployed.spec.template.spec.containers[0].args).toEqual(["run"]);
    expect(instructions("EXPOSE")).toEqual(["9466"]);
  });
});
