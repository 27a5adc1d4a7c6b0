import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documentPages, readDoc, root } from "../support/markdown.ts";

const tests = ["test", "dev/test"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
);

it.each(documentPages)("%s names tests that are there", (document) => {
  const named = new Set(readDoc(document).match(/\b(?:dev\/)?test\/[\w./*-]+\.ts\b/g));
  const missing = [...named].filter((name) => {
    const pattern = new RegExp(`^${name.replaceAll(".", "[.]").replaceAll("*", "[^/]*")}$`);
    return !tests.some((test) => pattern.test(test));
  });
  expect(missing).toEqual([]);
});
