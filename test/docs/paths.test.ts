import { existsSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readDoc, root } from "../support/markdown.ts";

it.each([
  "ARCHITECTURE.md",
  "docs/internals/decisions.md",
  "src/job/README.md",
  "docs/internals/proof.md",
  "CONTRIBUTING.md",
])("%s names only files and folders that exist", (doc) => {
  /** Docs name files from the root, from `src`, or from their own folder. */
  const exists = (name: string): boolean =>
    ["", "src", path.dirname(doc)].some((folder) => existsSync(path.join(root, folder, name)));
  const named = [...readDoc(doc).matchAll(/`((?:[\w-]+\/)+[\w.-]*)`/g)].map(([, name = ""]) => name);
  const paths = named.filter((name) => exists(name.split("/")[0] ?? ""));
  expect(paths.length).toBeGreaterThan(0);
  expect(paths.filter((name) => !exists(name))).toEqual([]);
});
