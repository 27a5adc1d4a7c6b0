import { describe, expect, it } from "vitest";
import { settingRows } from "../../../src/config/settings/settings-table.ts";
import { readDoc } from "../../support/markdown.ts";
import { isKustomizeHere, only, withComponents, type Tree } from "../../support/kubernetes/kustomize.ts";

describe.skipIf(!isKustomizeHere)("the component for the console", () => {
  if (!isKustomizeHere) return;
  const objects = withComponents("console");
  const [redriver, proxy] = only(objects, "Deployment").spec.template.spec.containers;
  const settings: Readonly<Record<string, string>> = only(objects, "ConfigMap", "redriver-settings").data;
  const ofProxy: Readonly<Record<string, string>> = only(objects, "ConfigMap", "redriver-console-proxy").data;

  it("puts the proxy behind redriver, as a container that may do as little", () => {
    expect([redriver.name, proxy.name]).toEqual(["redriver", "oauth2-proxy"]);
    expect(proxy.securityContext).toEqual(redriver.securityContext);
    expect(proxy.image).toMatch(/^[\w./-]+:v\d+\.\d+\.\d+$/);
    expect(proxy.envFrom).toEqual([
      { configMapRef: { name: only(objects, "ConfigMap", "redriver-console-proxy").metadata.name } },
    ]);
    expect("readinessProbe" in proxy).toBe(false);
  });

  it("asks the proxy who somebody is, and what alerts and notices link to", () => {
    expect(ofProxy["OAUTH2_PROXY_ALLOWED_GROUPS"]).toContain("engineering");
    expect(settings).toMatchObject({
      REDRIVER_CONSOLE_AUTH: "headers",
      REDRIVER_CONSOLE_URL: `https://${settings["REDRIVER_CONSOLE_HOSTS"]}`,
      REDRIVER_CONSOLE_OPERATOR_GROUPS: "redriver-operators",
      REDRIVER_CONSOLE_ADMIN_GROUPS: "redriver-admins",
    });
  });

  it("leads from the ingress to the proxy, and from there to the console", () => {
    const port = settingRows["console.port"].default;
    expect(ofProxy["OAUTH2_PROXY_UPSTREAMS"]).toBe(`http://${settings["REDRIVER_CONSOLE_HOST"]}:${port}`);
    expect(proxy.ports).toEqual([{ name: "console", containerPort: 4180, protocol: "TCP" }]);
    expect(ofProxy["OAUTH2_PROXY_HTTP_ADDRESS"]).toBe(":4180");
    const service = only(objects, "Service", "redriver-console");
    expect(service.spec.ports).toMatchObject([{ targetPort: "console" }]);
    const ingress = only(objects, "Ingress").spec;
    const host = settings["REDRIVER_CONSOLE_HOSTS"];
    expect(ingress).toMatchObject({ ingressClassName: "nginx", rules: [{ host }], tls: [{ hosts: [host] }] });
    expect(ingress.rules[0].http.paths[0].backend.service.name).toBe(service.metadata.name);
    expect(ofProxy["OAUTH2_PROXY_REDIRECT_URL"]).toBe(`https://${host}/oauth2/callback`);
  });

  it("admits the ingress controller to the proxy's port, and nobody to the console's", () => {
    const policies = objects.filter(({ kind }) => kind === "NetworkPolicy");
    const doors = policies.flatMap(({ spec }) => spec.ingress ?? []).flatMap(({ ports }) => ports);
    expect(doors.map(({ port }) => port)).not.toContain(settingRows["console.port"].default);
    const [door] = only(objects, "NetworkPolicy", "redriver-console").spec.ingress;
    expect(door).toEqual({
      from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } }],
      ports: [{ protocol: "TCP", port: "console" }],
    });
  });

  it("takes its secrets from the Secret that docs/console.md makes", () => {
    const refs = proxy.env.map(({ valueFrom }: Tree) => valueFrom.secretKeyRef);
    expect(new Set(refs.map(({ name }: Tree) => name))).toEqual(new Set(["redriver-console"]));
    const command = readDoc("docs/console.md").split("create secret generic redriver-console")[1]!;
    for (const { key } of refs) expect(command.split("```")[0]).toContain(`=${key}=`);
    expect(objects.filter(({ kind }) => kind === "Secret")).toEqual([]);
  });
});
