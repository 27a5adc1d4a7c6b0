import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/markdown.ts";

const files = ["src", "test"].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name}`),
);

it("a file that a comment in src names exists", () => {
  const named = files
    .filter((file) => file.startsWith("src"))
    .flatMap((file) => {
      const comments =
        readFileSync(path.join(root, file), "utf8").match(/\/\*\*?[\s\S]*?\*\/|\/\/.*$|^-- .*$/gm) ?? [];
      return comments.flatMap((comment) => comment.match(/[\w-]+(?:\/[\w-]+)*(?:\.lua)?\.ts\b/g) ?? []);
    });
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
});
