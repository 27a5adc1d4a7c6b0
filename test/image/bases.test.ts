import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../support/markdown.ts";
import { parseBase } from "./bases.ts";

it("local bases have the Node and the Debian of the Dockerfile's own base", () => {
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
  expect(parseBase(dockerfile)).toEqual({ nodeVersion: "26.10.0", debian: "bookworm" });
  expect(() => parseBase("ARG NODE_IMAGE=docker.io/library/node:alpine\n")).toThrow(/NODE_IMAGE/);
});
