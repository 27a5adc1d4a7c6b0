import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runHere as ask } from "../support/cli.ts";
import {
  changeOverlay,
  copyOfDeploy,
  isKustomizeHere,
  only,
  renderAt,
  type Tree,
} from "../support/kubernetes/kustomize.ts";
import {
  codeBlocks,
  codeSpans,
  documentPages,
  readDoc,
  root,
  shellLines,
  withoutCode,
} from "../support/markdown.ts";

const guides = [
  "docs/incident.md",
  "docs/kubernetes-quick-start.md",
  "docs/faq.md",
  "docs/comparison.md",
  "docs/upgrading.md",
  "docs/security.md",
];

/** Commands of redriver that a page tells to run, in a shell block or in a line of text. */
function commandsOf(page: string): readonly string[] {
  const lines = [...shellLines(readDoc(page)), ...codeSpans(withoutCode(readDoc(page)))];
  return [
    ...new Set(
      lines.flatMap(
        (line) => /(?:^|-- |^npx )(redriver [a-z].*)$/.exec(line)?.[1]?.replace(/"[^"]*"/g, "x") ?? [],
      ),
    ),
  ];
}

/** The help of the longest command that these words begin with. */
async function helpFor(words: readonly string[]): Promise<string> {
  const names = words.slice(1, 3).filter((word) => /^[a-z]+$/.test(word));
  for (const length of [2, 1]) {
    const { exitCode, out } = await ask([...names.slice(0, length), "--help"]);
    if (exitCode !== 0 || !out.startsWith(`Usage: redriver ${names.slice(0, length).join(" ")}`)) continue;
    // Of a group of commands the second word is one of them.
    if (length < names.length && out.includes("\nCommands:\n")) break;
    return out;
  }
  throw new Error(`no such command: ${words.join(" ")}`);
}

/** The name of the Deployment, or a file that the reader makes. */
const isTheirs = (name: string): boolean => name === "deploy/redriver" || name.includes("overlays/mine");

describe("the guides", () => {
  it.each(documentPages)("%s names only commands and flags that there are", async (page) => {
    const unknown: string[] = [];
    const { out: general } = await ask(["--help"]);
    for (const command of commandsOf(page)) {
      const words = command.split(/\s+/);
      const help = await helpFor(words).catch((error: Error) => error.message);
      if (help.startsWith("no such")) unknown.push(help);
      for (const flag of words.filter((word) => word.startsWith("--"))) {
        if (!`${help} ${general}`.includes(`${flag} `)) unknown.push(`${command}: ${flag}`);
      }
    }
    expect(unknown).toEqual([]);
  });

  it("have commands to check", () => {
    expect(guides.flatMap(commandsOf).length).toBeGreaterThan(40);
  });

  it.each(guides)("%s has only paths in its shell blocks that there are, or that it makes", (page) => {
    const named = shellLines(readDoc(page)).flatMap((line) => line.match(/\bdeploy\/[\w./-]+/g) ?? []);
    expect(named.filter((name) => !isTheirs(name) && !existsSync(path.join(root, name)))).toEqual([]);
  });

  it("give speeds that docs/internals/benchmarks.md has", () => {
    const figures = readDoc("docs/internals/benchmarks.md").slice(
      readDoc("docs/internals/benchmarks.md").indexOf("## Figures"),
    );
    const speeds = [...readDoc("docs/upgrading.md").matchAll(/(\d+,\d+)(?= messages\/s| at 25 ms)/g)].map(
      ([, speed = ""]) => speed.replace(",", ""),
    );
    expect(speeds).toHaveLength(4);
    expect(speeds.filter((speed) => !figures.includes(`| ${speed} |`))).toEqual([]);
  });

  it("give the memory that the manifest has", () => {
    const manifest = readDoc("deploy/base/deployment.yaml");
    const [, requested = ""] = /requests:[^]*?memory: (\d+)Mi/.exec(manifest) ?? [];
    const [, limit = ""] = /limits:\n\s+memory: (\d+)Mi/.exec(manifest) ?? [];
    const [, heap = ""] = /--max-old-space-size=(\d+)/.exec(manifest) ?? [];
    expect(readDoc("docs/upgrading.md")).toContain(
      `has ${requested} MiB requested, a limit of ${limit} MiB and a heap of ${heap} MiB`,
    );
    expect(readDoc("docs/internals/memory.md")).toContain(
      `a limit of ${limit} MiB, and a heap of ${heap} MiB`,
    );
    expect(readDoc("docs/runbooks-system.md")).toContain(`asks for ${requested} MiB and a tenth of a core`);
  });

  it("are each in the index, as is every other page", () => {
    const index = readDoc("docs/README.md");
    const pages = documentPages.flatMap((page) => /^docs\/(?!README)(.*)$/.exec(page)?.[1] ?? []);
    const lists = index.slice(index.indexOf("\n## First steps"));
    expect(pages.map((name) => [name, lists.split(`](${name})`).length - 1])).toEqual(
      pages.map((name) => [name, 1]),
    );
  });
});

const quickStart = readDoc("docs/kubernetes-quick-start.md");

/** The overlay that a reader of the quick start has after these steps. */
function tutorialOverlay(steps: readonly string[]): readonly Tree[] {
  const clone = copyOfDeploy();
  const mine = path.join(clone, "deploy/overlays/mine");
  for (const { language, heading, text } of codeBlocks(quickStart)) {
    if (!steps.some((step) => heading.startsWith(step))) continue;
    if (language === "sh" && text.startsWith("cp ")) execFileSync("sh", ["-ec", text], { cwd: clone });
    if (language === "yaml") changeOverlay(mine, parse(text));
  }
  if (steps.includes("6.")) {
    for (const [, name = "", from = "", to = ""] of changesOfStepSix()) {
      const changed = path.join(mine, name);
      const before = readFileSync(changed, "utf8");
      if (!before.includes(from)) throw new Error(`${name} has no ${from}`);
      writeFileSync(changed, before.replace(from, to));
    }
  }
  return renderAt(mine);
}

/** File, what stands in it, and what it is changed to. */
function changesOfStepSix(): readonly (readonly string[])[] {
  const text = (quickStart.split("\n## 6. ")[1] ?? "").replaceAll("\n", " ");
  const changes = [...text.matchAll(/`(\w+\.yaml)`[^`]*, change `([^`]+)` to `([^`]+)`/g)];
  expect(changes).toHaveLength(2);
  return changes;
}

const settingsOf = (objects: readonly Tree[]): Tree => only(objects, "ConfigMap", "redriver-settings").data;
const modeOf = (objects: readonly Tree[]): string =>
  parse(only(objects, "ConfigMap", "redriver-drains").data["drains.yaml"]).defaults.mode;

describe.skipIf(!isKustomizeHere)("the overlay of the quick start", () => {
  it("changes nothing at first, and has the image, the region and the Redis that it names", () => {
    const objects = tutorialOverlay(["2.", "3.", "4."]);
    expect(modeOf(objects)).toBe("plan");
    expect(settingsOf(objects)).toEqual({
      REDRIVER_LOG_AUDIT: "none",
      REDRIVER_LOG_LEVEL: "debug",
      REDRIVER_SERVICE_URL: "https://qstash.upstash.io",
    });
    expect(only(objects, "Deployment").spec.template.spec.containers[0].image).toBe(
      "registry.example.com/redriver:0.1.0",
    );
    expect(only(objects, "StatefulSet").metadata.name).toBe("redriver-redis");
    expect(only(objects, "StatefulSet").spec.volumeClaimTemplates[0].spec.resources.requests.storage).toBe(
      "4Gi",
    );
    expect(only(objects, "ServiceAccount").imagePullSecrets).toEqual([{ name: "registry" }]);
  });

  it("acts after step 6, with the rest as it was", () => {
    const before = tutorialOverlay(["2."]);
    const objects = tutorialOverlay(["2.", "6."]);
    expect([modeOf(before), modeOf(objects)]).toEqual(["plan", "live"]);
    expect(settingsOf(objects)).toEqual({ ...settingsOf(before), REDRIVER_LOG_LEVEL: "info" });
  });
});
