import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { settingRows } from "../../../src/config/settings/settings-table.ts";
import { runHere as ask } from "../../support/cli.ts";
import { runChild } from "../../support/child.ts";
import { here, mountsOf, readCompose, schemaProblems } from "../../support/compose.ts";
import { createFolder } from "../../support/command.ts";
import type { Tree } from "../../support/kubernetes/kustomize.ts";
import { readDoc, root } from "../../support/markdown.ts";
import { isHere } from "../../support/tools.ts";

const compose = readCompose();
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);
const yamlIn = (name: string): Tree => parse(readDoc(`deploy/local/${name}`));

/** What the programs listen on if nobody says otherwise. */
const ownPorts: Readonly<Record<string, readonly number[]>> = {
  redriver: [settingRows["http.port"].default, settingRows["console.port"].default].map(Number),
  emulator: [
    Number(/default:\s+(\d+)\)/.exec((await ask(["emulator", "--help"])).out.split("--port")[1]!)?.[1]),
  ],
  prometheus: [9090],
  grafana: [3000],
};

describe("deploy/local/compose.yaml", () => {
  it.skipIf(!isHere("compose.schema.json"))("is a Compose file, in which no unknown field passes", () => {
    expect(schemaProblems(compose)).toEqual([]);
    const { redis, ...others } = compose.services;
    expect(schemaProblems({ ...compose, services: { ...others, redis: { ...redis, comand: [] } } })).toEqual([
      expect.stringContaining("comand"),
    ]);
  });

  it("has images by name and tag, without a registry, or by a build of a target of the Dockerfile", () => {
    for (const [, { image }] of services) expect(image).toMatch(/^([a-z]+\/)?[a-z-]+:[\w.]+$/);
    const targets = [...readDoc("Dockerfile").matchAll(/ AS (\w+)$/gm)].map((match) => match[1]);
    for (const [, { build, image }] of ours) {
      expect(existsSync(path.join(root, "deploy/local", build!.context, "Dockerfile"))).toBe(true);
      expect(targets).toContain(build!.target);
      expect(image).toBe(build!.target === "dev" ? "redriver-dev:local" : "redriver:local");
    }
    // The one is not in the production image, and the other is what production runs.
    expect(ours.map(([name, { build }]) => [name, build!.target])).toEqual([
      ["emulator", "dev"],
      ["receiver", "dev"],
      ["redriver", "runtime"],
    ]);
  });

  it("publishes ports on loopback alone, each the program's own", () => {
    for (const [name, { ports = [] }] of services) {
      expect(ports, name).toEqual((ownPorts[name] ?? []).map((port) => `127.0.0.1:${port}:${port}`));
    }
  });

  it("mounts only what there is, and names no secret, volume or service that there is not", () => {
    const mounts = services.flatMap(([, service]) => mountsOf(compose, service));
    expect(mounts.filter(({ from }) => !existsSync(from))).toEqual([]);
    const named = services
      .flatMap(([, { volumes = [] }]) => volumes)
      .filter((text) => !text.startsWith("."))
      .map((text) => text.split(":")[0]);
    expect(named).toEqual(Object.keys(compose.volumes));
    const used = new Set(services.flatMap(([, { secrets = [] }]) => secrets));
    expect([...used].toSorted()).toEqual(Object.keys(compose.secrets).toSorted());
    for (const [, { depends_on: needs = [] }] of services) {
      expect(Object.keys(compose.services)).toEqual(expect.arrayContaining([...needs]));
    }
  });

  it("lets no container have a capability, or get more rights than it begins with", () => {
    const rights = services.map(([, { cap_drop: dropped, security_opt: options }]) => [dropped, options]);
    expect(rights).toEqual(rights.map(() => [["ALL"], ["no-new-privileges:true"]]));
  });

  it("names every file where its reader looks for it", () => {
    for (const [name, service] of services) {
      const { environment = {}, entrypoint = [], command = [] } = service;
      const texts = [...Object.values(environment), ...entrypoint, ...command].join("\n");
      const looked = texts.match(/\/(run\/secrets|etc)\/[\w./-]+/g) ?? [];
      const missing = looked.filter((file) => !existsSync(here(mountsOf(compose, service), file)));
      expect({ name, missing }).toEqual({ name, missing: [] });
    }
    const grafana = mountsOf(compose, compose.services["grafana"]!);
    const [provider] = yamlIn("grafana/dashboards.yaml").providers;
    expect(here(grafana, provider.options.path)).toBe(path.join(root, "deploy/components/dashboards"));
  });

  it("names services by their names and ports that they listen on", () => {
    const listening: typeof ownPorts = { ...ownPorts, redis: [6379], receiver: [8080] };
    const files = "compose.yaml secrets/redis-url prometheus/prometheus.yaml grafana/data-source.yaml".split(
      " ",
    );
    const text = files.map((name) => readDoc(`deploy/local/${name}`)).join("\n");
    const hosts = Object.keys(compose.services).join("|");
    const named = [...text.matchAll(new RegExp(`(?<=[/@"])(${hosts}):(\\d{4,})\\b`, "g"))];
    expect(new Set(named.map(([, host]) => host))).toEqual(
      new Set(["emulator", "receiver", "redis", "redriver", "prometheus"]),
    );
    for (const [, host = "", port] of named) expect(listening[host], host).toContain(Number(port));
  });

  it("scrapes the job that alerts and dashboards speak of, by the rules of production", async () => {
    const [scraped] = yamlIn("prometheus/prometheus.yaml").scrape_configs;
    expect(scraped.job_name).toBe("redriver");
    expect(Object.keys(scraped.static_configs[0].labels)).toEqual(["namespace"]);
    const { rules } = await cutRules();
    expect(parse(readFileSync(rules, "utf8"))).toEqual(
      parse(readDoc("deploy/components/monitoring/prometheus-rule.yaml")).spec,
    );
  });

  it.skipIf(!isHere("promtool"))("gives Prometheus rules that it takes", async () => {
    const { folder, rules } = await cutRules();
    const config = readDoc("deploy/local/prometheus/prometheus.yaml").replace("/tmp/rules.yaml", rules);
    const checked = await runChild("promtool", ["check", "config", folder.write("prometheus.yaml", config)], {
      cwd: folder.path,
    });
    expect(checked).toMatchObject({ exitCode: 0, out: expect.stringContaining("SUCCESS") });
  });
});

/** What its service makes of the rules, in a folder of the test. */
async function cutRules(): Promise<{
  readonly folder: ReturnType<typeof createFolder>;
  readonly rules: string;
}> {
  const service = compose.services["prometheus"]!;
  const folder = createFolder();
  const [script = ""] = service.command ?? [];
  const [cut = ""] = here(mountsOf(compose, service), script).split("\n");
  const rules = path.join(folder.path, "rules.yaml");
  const [shell = "", ...flags] = service.entrypoint ?? [];
  const { exitCode } = await runChild(shell, [...flags, cut.replace("/tmp/rules.yaml", rules)], {
    cwd: root,
  });
  expect(exitCode).toBe(0);
  return { folder, rules };
}
