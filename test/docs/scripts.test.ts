import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codeSpans, documentPages, readDoc, root, tableRows } from "../support/markdown.ts";

const { scripts } = JSON.parse(readDoc("package.json")) as { scripts: Readonly<Record<string, string>> };

it("package.json has at most 20 scripts", () => {
  expect(Object.keys(scripts).length).toBeLessThanOrEqual(20);
});

it("each script and part that a page or .ci/run names is there", () => {
  const { stderr } = spawnSync(process.execPath, [join(root, "test/run.mjs")], { encoding: "utf8" });
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
  const { dependencies, devDependencies } = JSON.parse(readDoc("package.json")) as Readonly<
    Record<"dependencies" | "devDependencies", Readonly<Record<string, string>>>
  >;
  const all = { ...dependencies, ...devDependencies };
  const rows = tableRows(readDoc("CONTRIBUTING.md"), ["package", "why"]);
  // Types may stand beside what they are of.
  const named = new Set(rows.flatMap((cells) => cells.flatMap(codeSpans)));
  expect(Object.keys(all).filter((name) => !named.has(name))).toEqual([]);
  expect(rows.flatMap(([cell = ""]) => codeSpans(cell)).filter((name) => !(name in all))).toEqual([]);
  expect(Object.values(all).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});
