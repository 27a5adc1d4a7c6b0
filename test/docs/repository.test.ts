/** What a clone has beside its pages: files, tests, words, versions and scripts are as they say. */
import { codeSpans, documentPages, readDoc, root, tableRows } from "../support/markdown.ts";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

it.each([...documentPages, "src/job/README.md"])("%s names only files and folders that exist", (doc) => {
  /** Docs name files from the root, from `src`, or from their own folder. */
  const exists = (name: string): boolean =>
    ["", "src", path.dirname(doc)].some((folder) => existsSync(path.join(root, folder, name)));
  const named = [...readDoc(doc).matchAll(/`((?:[\w-]+\/)+[\w.-]*)`/g)].map(([, name = ""]) => name);
  const paths = named.filter((name) => exists(name.split("/")[0] ?? ""));
  expect(paths.filter((name) => !exists(name))).toEqual([]);
});

it("the job's page names each function beside its file", () => {
  const rows = readDoc("src/job/README.md").matchAll(/^[├└│─ ]*(?:service\.)?(\w+) +([\w-]+\/[\w/-]+)/gmu);
  const named = [...rows].map(([, name = "", file = ""]) => {
    const itsOwn = new RegExp(`(function\\*?|async|const) \\*?${name}\\b`);
    return { name, isThere: itsOwn.test(readDoc(`src/job/${file}.ts`)) };
  });
  expect(named.length).toBeGreaterThan(35);
  expect(named.filter(({ isThere }) => !isThere)).toEqual([]);
});

const races = tableRows(readDoc("docs/internals/proof.md"), ["id", "race", "the test that plays it"]);

const filesIn = (at: string): string[] =>
  readdirSync(path.join(root, at), { recursive: true, encoding: "utf8" }).map((name) => `${at}/${name}`);

/** `R07 <file>` of each test whose title begins with an id. */
const racesPlayed = filesIn("test")
  .filter((name) => name.endsWith(".test.ts"))
  .flatMap((file) => [...readDoc(file).matchAll(/"(R\d{2}) /g)].map(([, id]) => `${id} ${file}`));

it("names the file of each test that has the id of a race, each once, and no other", () => {
  expect(races.length).toBeGreaterThan(50);
  const documented = races.map(([id, , file]) => `${id} ${file?.replaceAll("`", "")}`);
  expect(documented.toSorted()).toEqual(racesPlayed.toSorted());
  for (const column of [0, 1]) expect(new Set(races.map((row) => row[column])).size).toBe(races.length);
});

const testFiles = ["test", "dev/test"].flatMap(filesIn);

it.each(documentPages)("%s names tests that are there", (document) => {
  const named = new Set(readDoc(document).match(/\b(?:dev\/)?test\/[\w./*-]+\.ts\b/g));
  const missing = [...named].filter((name) => {
    const pattern = new RegExp(`^${name.replaceAll(".", "[.]").replaceAll("*", "[^/]*")}$`);
    return !testFiles.some((test) => pattern.test(test));
  });
  expect(missing).toEqual([]);
});

/** How much there is to read. Words are counted as wc -w does: what stands between blanks. */
const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length;
const userPages = documentPages.filter((page) => /^docs\/[^/]+\.md$/.test(page));

it("README has 900 words, ten per cent more or less", () => {
  expect(Math.abs(wordsOf(readDoc("README.md")) - 900)).toBeLessThanOrEqual(90);
});

it("users have at most 28 pages, with at most 2,500 words each and 45,000 in all", () => {
  const counts = ["README.md", ...userPages].map((page) => [page, wordsOf(readDoc(page))] as const);
  expect(counts.length).toBeLessThanOrEqual(28);
  expect(counts.filter(([, words]) => words > 2_500)).toEqual([]);
  expect(counts.reduce((sum, [, words]) => sum + words, 0)).toBeLessThanOrEqual(45_000);
});

it("a runbook has at most 170 words", () => {
  const runbooks = ["docs/runbooks.md", "docs/runbooks-system.md"].flatMap((page) =>
    readDoc(page).split(/^## /m).slice(1),
  );
  expect(runbooks.length).toBeGreaterThan(30);
  expect(runbooks.filter((text) => wordsOf(text) > 170).map((text) => text.split("\n")[0])).toEqual([]);
});

const { version, scripts, dependencies, devDependencies } = JSON.parse(readDoc("package.json")) as {
  readonly version: string;
} & Readonly<Record<"scripts" | "dependencies" | "devDependencies", Readonly<Record<string, string>>>>;

it("each page, the chart and the statement on vulnerabilities name this version", () => {
  const named = [
    ...documentPages,
    "Dockerfile",
    "deploy/chart/README.md",
    "deploy/supply-chain/redriver.openvex.json",
  ]
    .flatMap((file) => [
      ...readDoc(file).matchAll(
        /\bredriver(?:-dev)?[:@](\d+\.\d+\.\d+)|--version (\d[\d.]+)|(?:--build-arg VERSION=|tag: |newTag: )([\d.]+)/gi,
      ),
    ])
    .map(([, ...groups]) => groups.find((one) => one !== undefined));
  expect(named.length).toBeGreaterThan(8);
  expect(new Set(named)).toEqual(new Set([version]));
  expect(parse(readDoc("deploy/chart/Chart.yaml"))).toMatchObject({ version, appVersion: version });
});

it("a tag of a version runs .ci/release, which may sign as the workflow", () => {
  const { on, permissions, jobs } = parse(readDoc(".github/workflows/release.yml"));
  expect(on).toEqual({ push: { tags: ["v*"] } });
  expect(permissions).toEqual({ contents: "write", "id-token": "write", packages: "write" });
  expect(jobs.release.steps.at(-1)).toEqual({ run: ".ci/release" });
});

it("package.json has at most 20 scripts, and each script and part that a page or .ci/run names", () => {
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(20);
  const { stderr } = spawnSync(process.execPath, [path.join(root, "test/run.mjs")], { encoding: "utf8" });
  const parts = stderr
    .split("\n")
    .slice(1)
    .map((line) => line.split(" "));
  const partsOf = (name: string): readonly string[] =>
    parts.find(([first]) => first === name)?.slice(1) ?? [];
  expect(partsOf("pages")).toContain("metrics");
  const texts = [...documentPages, ".ci/run", ".ci/two-commands"].map((file) => readDoc(file)).join("\n");
  const named = [...texts.matchAll(/npm run (?:--silent )?([\w:]+)(?: -- (\w+))?/g)];
  const unknown = named.filter(
    ([, name = "", part]) => !(name in scripts) || (name === "pages" && !partsOf(name).includes(part ?? "")),
  );
  expect(unknown.map(([line]) => line)).toEqual([]);
  const built = [...texts.matchAll(/run\.mjs --built (\w+)/g)].filter(
    ([, name]) => !parts.some(([one]) => one === name),
  );
  expect(built).toEqual([]);
});

it("CONTRIBUTING.md says why each dependency is there, and each has an exact version", () => {
  const all = { ...dependencies, ...devDependencies };
  const rows = tableRows(readDoc("CONTRIBUTING.md"), ["package", "why"]);
  // Types may stand beside what they are of.
  const named = new Set(rows.flatMap((cells) => cells.flatMap(codeSpans)));
  expect(Object.keys(all).filter((name) => !named.has(name))).toEqual([]);
  expect(rows.flatMap(([cell = ""]) => codeSpans(cell)).filter((name) => !(name in all))).toEqual([]);
  expect(Object.values(all).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});
