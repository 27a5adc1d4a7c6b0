/** The lines that install redriver, as far as they go without a cluster and a container engine. */
import { spawnSync } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { createFolder } from "../../support/command.ts";
import { readCompose } from "../../support/compose.ts";
import { components } from "../../support/kubernetes/deploy-folders.ts";
import { isHelmHere } from "../../support/kubernetes/helm.ts";
import {
  changeOverlay,
  copyOfDeploy,
  isKustomizeHere,
  only,
  renderAt,
  type Tree,
} from "../../support/kubernetes/kustomize.ts";
import {
  type CodeBlock,
  codeBlocks,
  codeSpans,
  documentPages,
  readDoc,
  root,
  shellLines,
  withoutCode,
} from "../../support/markdown.ts";
import { pathOf } from "../../support/tools.ts";

const pages = ["README.md", "deploy/README.md", "docs/kubernetes-quick-start.md", "docs/upgrading.md"];
const linesIn = (page: string) => [...shellLines(readDoc(page)), ...codeSpans(withoutCode(readDoc(page)))];
const lines = [...new Set(pages.flatMap(linesIn))];

/** The words behind this beginning, of each line that has it. */
const linesOf = (beginning: RegExp): readonly string[] => lines.filter((line) => beginning.test(line));
const wordsBehind = (word: string, line: string): readonly string[] =>
  [...line.matchAll(new RegExp(`(?<=${word}[ =])[^ =]+`, "g"))].map(([found]) => found);

const settingsOf = (objects: readonly Tree[]): Tree => only(objects, "ConfigMap", "redriver-settings").data;

/** What a copy of the overlay `plan` renders to with this in its kustomization.yaml. */
function copyWith(fields: Tree): readonly Tree[] {
  const mine = path.join(copyOfDeploy(), "deploy/overlays/plan");
  changeOverlay(mine, fields);
  return renderAt(mine);
}

const valuesOfQuickStart = (): CodeBlock =>
  codeBlocks(readDoc("docs/kubernetes-quick-start.md")).find(
    ({ language, heading }) => language === "yaml" && heading === "With Helm",
  )!;

/** What a line prints in a folder with the files that a reader has made. */
function printed(line: string): string {
  const folder = createFolder({ "service-token": "secret", "users.acl": "user default off +@all ~* &*\n" });
  folder.write("drains.yaml", readDoc("deploy/base/drains.yaml"));
  folder.write("values.yaml", valuesOfQuickStart().text);
  symlinkSync(path.join(root, "deploy"), path.join(folder.path, "deploy"));
  const tools = (["kubectl", "helm"] as const).map((name) => path.dirname(pathOf(name)));
  const run = spawnSync("bash", ["-ec", line], {
    cwd: folder.path,
    encoding: "utf8",
    env: {
      PATH: [...tools.filter((tool) => tool !== "."), process.env["PATH"]].join(":"),
      HOME: folder.path,
      REDIS_URL: "redis://redriver:secret@redriver-redis:6379",
    },
  });
  if (run.status !== 0) throw new Error(`${line}: ${run.stderr}`);
  return run.stdout;
}

/** The same line, which asks no cluster. */
const withoutCluster = (line: string): string =>
  `${line.replace(/ \| kubectl apply .*$/, "").replace(" --dry-run=client -o yaml", "")} --dry-run=client -o yaml`;

describe("lines for docker", () => {
  it("give the Dockerfile arguments and stages that it has", () => {
    const dockerfile = readDoc("Dockerfile");
    const builds = linesOf(/^docker build /);
    expect(builds.length).toBeGreaterThan(1);
    for (const line of builds) {
      for (const name of wordsBehind("--build-arg", line)) expect(dockerfile).toContain(`\nARG ${name}`);
      for (const name of wordsBehind("--target", line)) expect(dockerfile).toContain(` AS ${name}\n`);
    }
  });

  it("name the Compose file, and services in it", () => {
    const composed = linesOf(/^docker compose /);
    expect(composed.length).toBeGreaterThan(1);
    const services = Object.keys(readCompose().services);
    const wrong = composed.filter((line) => {
      const [, file = "", service = services[0]] =
        /^docker compose -f (\S+) (?:up --build|stop (\S+))$/.exec(line) ?? [];
      return !existsSync(path.join(root, file)) || file === "" || !services.includes(service!);
    });
    expect(wrong).toEqual([]);
  });

  it("lead to ports and a token that the Compose file has", () => {
    const { services, secrets } = readCompose();
    const ports = Object.values(services).flatMap(({ ports: published = [] }) =>
      published.map((port) => port.split(":")[1]),
    );
    const readme = readDoc("deploy/README.md").split("**On one machine.**")[1]!.split("\n\n")[0]!;
    const named = [...readme.matchAll(/http:\/\/localhost:(\d+)/g)].map(([, port]) => port);
    expect(named).toHaveLength(4);
    expect(ports).toEqual(expect.arrayContaining(named));
    const file = path.join("deploy/local", secrets["console-tokens"]!.file);
    expect(readme).toContain(`\`${file}\``);
    expect(existsSync(path.join(root, file))).toBe(true);
  });
});

describe.skipIf(!isKustomizeHere)("lines for kubectl", () => {
  it("apply folders that render, and files that there are", () => {
    const folders = linesOf(/^kubectl (.* )?(apply|kustomize) /).flatMap((line) =>
      [...wordsBehind("-k", line), ...wordsBehind("kustomize", line)].filter((name) =>
        name.startsWith("deploy/"),
      ),
    );
    expect(new Set(folders)).toEqual(new Set(["deploy/overlays/mine", "deploy/redis"]));
    for (const folder of folders.filter((name) => !name.endsWith("/mine"))) {
      expect(renderAt(path.join(root, folder)).length, folder).toBeGreaterThan(1);
    }
    const files = linesOf(/^kubectl apply -f /).flatMap((line) => wordsBehind("-f", line));
    expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it("make the Secrets that the pods mount, with the keys that they read", () => {
    const secrets: readonly Tree[] = linesOf(/^kubectl .*create secret /).map((line) =>
      parse(printed(withoutCluster(line))),
    );
    const found = secrets.map(({ metadata, data }) => `${metadata.name}: ${Object.keys(data).join(", ")}`);
    expect(new Set(found)).toEqual(
      new Set([
        "redriver: redis-url, service-token",
        "redriver-redis: users.acl",
        "registry: .dockerconfigjson",
      ]),
    );
    const pod = only(renderAt(path.join(root, "deploy/overlays/plan")), "Deployment").spec.template.spec;
    expect(JSON.stringify(pod)).toContain('"secretName":"redriver"');
    const files = pod.containers[0].env
      .map(({ value }: Tree) => value)
      .filter((value: string) => value.startsWith("/run/secrets/"));
    expect(files).toEqual(["/run/secrets/redriver/service-token", "/run/secrets/redriver/redis-url"]);
  });

  it("delete what an overlay made before the chart takes over, except its namespace, claim and Redis", () => {
    const [line = ""] = linesOf(/^kubectl -n redriver delete deployment,/);
    expect(line).toContain("-l 'app.kubernetes.io/managed-by=kustomize,app.kubernetes.io/component!=redis'");
    const more = /Add `(\S+)` for the component `monitoring`, and `(\S+)` for `keda`/
      .exec(readDoc("deploy/README.md"))!
      .slice(1);
    const kinds = [line.split(" ")[4]!, ...more].flatMap((list) => list.split(","));
    const rendered = copyWith({
      resources: ["../../base", "../../redis", "settings.yaml"],
      components: components.map((name) => `../../${name}`),
    }).filter(({ metadata }) => metadata.labels["app.kubernetes.io/component"] !== "redis");
    expect(
      rendered.filter(({ metadata }) => metadata.labels["app.kubernetes.io/managed-by"] !== "kustomize"),
    ).toEqual([]);
    const left = rendered.map(({ kind }) => kind).filter((kind) => !kinds.includes(kind.toLowerCase()));
    expect(new Set(left)).toEqual(new Set(["Namespace", "PersistentVolumeClaim"]));
  });

  it("make the file of users that Redis reads, from the line of docs/redis.md", () => {
    const [line = ""] = linesOf(/> users\.acl\)$/);
    const made = line.replace(" > users.acl", "");
    const { stdout } = spawnSync("bash", ["-c", `PASSWORD=abc; ${made}`], { cwd: root, encoding: "utf8" });
    const development = readDoc("deploy/overlays/development/users.acl").replace(">development", ">abc");
    expect(stdout.trim().split("\n")).toEqual(development.trim().split("\n"));
  });
});

describe.skipIf(!isKustomizeHere)("a copy of the overlay of the first visit", () => {
  const yaml = codeBlocks(readDoc("docs/kubernetes-quick-start.md")).filter(
    ({ language, heading }) => language === "yaml" && heading === "With a Redis of your own",
  );

  it("has the Redis that the quick start gives it", () => {
    const [sentinel, cluster, port] = yaml.map(({ text }) => copyWith(parse(text)));
    expect(settingsOf(sentinel!)).toHaveProperty("REDRIVER_REDIS_SENTINELS");
    expect(settingsOf(cluster!)).toHaveProperty("REDRIVER_REDIS_CLUSTER_NODES");
    const { egress } = only(port!, "NetworkPolicy", "redriver").spec;
    expect(egress.flatMap(({ ports }: Tree) => ports.map((one: Tree) => one.port))).toEqual([
      53, 53, 5353, 5353, 443, 6380,
    ]);
  });
});

const installs = linesOf(/^helm (install|upgrade) /);

describe("lines that upgrade by helm", () => {
  it("keep what was chosen before", () => {
    // Without either, Helm takes the chart's own values for all that the line does not name: no component, and the plan's document.
    const keepsChoices = / (-f|--values)[ =]\S+| --reset-then-reuse-values\b/;
    const upgrades = documentPages.flatMap(linesIn).filter((line) => /\bhelm upgrade \S/.test(line));
    expect(upgrades.length).toBeGreaterThan(1);
    expect(installs.length).toBeGreaterThan(1);
    expect(upgrades.filter((line) => !keepsChoices.test(line))).toEqual([]);
  });
});

describe.skipIf(!isHelmHere)("lines for helm", () => {
  it.each(installs)("%s renders a daemon that plans", (line) => {
    const template = line.replace(/^helm (install|upgrade( --install)?)/, "helm template");
    // What the release before was given, which `template` cannot ask a cluster for.
    const rendered = printed(template.replace("--reset-then-reuse-values", "-f values.yaml"));
    const objects: readonly Tree[] = parseAllDocuments(rendered).map((document) => document.toJS());
    const [container] = only(objects, "Deployment").spec.template.spec.containers;
    expect(container.image).toBe("registry.example.com/redriver:0.1.0");
    const document = only(objects, "ConfigMap", "redriver-drains").data["drains.yaml"];
    expect(parse(document).defaults.mode).toBe("plan");
  });
});
