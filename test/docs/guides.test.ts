import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { ask } from "../support/ask.ts";
import { deploy, isKustomizeHere, only, renderAt, type Tree } from "../support/kubernetes/kustomize.ts";
import { codeBlocks, codeSpans, readDoc, root, withoutCode } from "../support/markdown.ts";

const guides = [
  "docs/incident.md",
  "docs/kubernetes-quick-start.md",
  "docs/faq.md",
  "docs/sizing.md",
  "docs/moving-over.md",
  "docs/upgrading.md",
  "docs/security.md",
];

const shellLines = (page: string): readonly string[] =>
  codeBlocks(readDoc(page))
    .filter(({ language }) => language === "sh")
    .flatMap(({ text }) => text.replaceAll("\\\n", " ").split("\n"));

/** Commands of redriver that a page tells to run, in a shell block or in a line of text. */
function commandsOf(page: string): readonly string[] {
  const lines = [...shellLines(page), ...codeSpans(withoutCode(readDoc(page)))];
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
  it.each(guides)("%s names only commands and flags that there are", async (page) => {
    const unknown: string[] = [];
    const { out: general } = await ask(["--help"]);
    for (const command of commandsOf(page)) {
      const words = command.split(/\s+/);
      const help = await helpFor(words);
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
    const named = shellLines(page).flatMap((line) => line.match(/\bdeploy\/[\w./-]+/g) ?? []);
    expect(named.filter((name) => !isTheirs(name) && !existsSync(path.join(root, name)))).toEqual([]);
  });

  it("give speeds that docs/benchmarks.md has", () => {
    const figures = readDoc("docs/benchmarks.md").slice(readDoc("docs/benchmarks.md").indexOf("## Figures"));
    const speeds = [...readDoc("docs/sizing.md").matchAll(/(\d+,\d+)(?= messages\/s| at 25 ms)/g)].map(
      ([, speed = ""]) => speed.replace(",", ""),
    );
    expect(speeds).toHaveLength(4);
    expect(speeds.filter((speed) => !figures.includes(`| ${speed} |`))).toEqual([]);
  });

  it("are each in the index, as is every other page", () => {
    const index = readDoc("docs/README.md");
    const pages = readdirSync(path.join(root, "docs")).filter(
      (name) => name.endsWith(".md") && name !== "README.md",
    );
    const lists = index.slice(index.indexOf("\n## Tutorials"));
    expect(pages.map((name) => [name, lists.split(`](${name})`).length - 1])).toEqual(
      pages.map((name) => [name, 1]),
    );
  });
});

/** The overlay that the quick start makes, up to this heading, with the Redis of deploy/redis. */
function tutorialOverlay(steps: readonly string[]): readonly Tree[] {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "redriver-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const part of ["base", "redis", "overlays"]) {
    cpSync(path.join(deploy, part), path.join(folder, part), { recursive: true });
  }
  const mine = path.join(folder, "overlays/mine");
  cpSync(path.join(folder, "overlays/plan"), mine, { recursive: true });
  cpSync(path.join(folder, "overlays/production/drains.yaml"), path.join(mine, "drains.yaml"));
  const file = path.join(mine, "kustomization.yaml");
  const overlay: Tree = parse(readFileSync(file, "utf8"));
  overlay.resources.push("../../redis");
  for (const { language, heading, text } of codeBlocks(readDoc("docs/kubernetes-quick-start.md"))) {
    if (language === "yaml" && steps.some((step) => heading.startsWith(step)))
      Object.assign(overlay, parse(text));
  }
  writeFileSync(file, stringify(overlay));
  return renderAt(mine);
}

const settingsOf = (objects: readonly Tree[]): Tree => only(objects, "ConfigMap", "redriver-settings").data;
const modeOf = (objects: readonly Tree[]): string =>
  parse(only(objects, "ConfigMap", "redriver-drains").data["drains.yaml"]).defaults.mode;

describe.skipIf(!isKustomizeHere)("the overlay of the quick start", () => {
  it("changes nothing at first, in the region that it names", () => {
    const objects = tutorialOverlay(["2.", "4."]);
    expect(modeOf(objects)).toBe("plan");
    expect(settingsOf(objects)).toMatchObject({
      REDRIVER_LOG_LEVEL: "debug",
      REDRIVER_SERVICE_URL: "https://eu.service.example.com",
    });
    expect(only(objects, "Deployment").spec.template.spec.containers[0].image).toBe(
      "registry.example.com/redriver:0.1.0",
    );
    expect(only(objects, "StatefulSet").metadata.name).toBe("redriver-redis");
  });

  it("acts after step 6", () => {
    const objects = tutorialOverlay(["2.", "6."]);
    expect(modeOf(objects)).toBe("live");
    expect(settingsOf(objects).REDRIVER_LOG_LEVEL).toBe("info");
  });
});
