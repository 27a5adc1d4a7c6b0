import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import { files, importedBy, root } from "../support/import-graph.ts";

const nameOf = (file: string): string => relative(root, file);
const textOf = (file: string): string => readFileSync(file, "utf8");

it("an exported type name is declared once in src", () => {
  const places = new Map<string, string[]>();
  const declarations = /^export (?:declare )?(?:abstract )?(?:type|interface|class|enum) (\w+)/gm;
  for (const file of files) {
    for (const [, name = ""] of textOf(file).matchAll(declarations))
      places.set(name, [...(places.get(name) ?? []), nameOf(file)]);
  }
  expect(places.size).toBeGreaterThan(300);
  expect([...places].filter(([, at]) => at.length > 1)).toEqual([]);
});

it("no file of src imports itself through others, be it for a type", () => {
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    importedBy(from).some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });
  expect(files.filter((file) => reaches(file, file)).map(nameOf)).toEqual([]);
});

/** Scripts that a file starts as processes of their own, by their name in `dist`. */
const startedBy = (file: string): readonly string[] =>
  [...textOf(file).matchAll(/\(distDir, "([\w/-]+)\.js"\)/g)].map(([, name]) => join(root, `${name}.ts`));

it("every file of src is part of the built command", () => {
  // An operation is loaded from its folder.
  const operations = files.filter((file) => nameOf(file).startsWith("people/operations/acts/"));
  const reached = new Set([join(root, "main.ts"), ...operations]);
  for (const file of reached) {
    for (const next of [...importedBy(file), ...startedBy(file)]) reached.add(next);
  }
  // A browser loads these.
  const isForBrowsers = (file: string): boolean => nameOf(file).startsWith("people/console/browser/");
  expect(files.filter((file) => !reached.has(file) && !isForBrowsers(file)).map(nameOf)).toEqual([]);
});

it.each(["status", "history", "archive", "parked", "rules", "config"])(
  "redriver %s, which only reads, loads no logger",
  (command) => {
    const reached = new Set([join(root, `people/cli/${command}/command.ts`)]);
    for (const file of reached) for (const next of importedBy(file)) reached.add(next);
    expect(reached.size).toBeGreaterThan(20);
    expect([...reached].map(nameOf)).not.toContain("telemetry/logger.ts");
  },
);
