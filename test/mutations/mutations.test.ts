import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readDoc, tableRows } from "../support/markdown.ts";
import { mutations } from "./mutations.mjs";

it.each(mutations)("the break $name fits the code", ({ file, find }) => {
  expect(readFileSync(file, "utf8").split(find)).toHaveLength(2);
});

it("docs/internals/proof.md names each break with its test, and no other", () => {
  const rows = tableRows(readDoc("docs/internals/proof.md"), ["break", "the test that fails"]);
  expect(rows).toEqual(mutations.map(({ name, test }) => [name, `\`${test}\``]));
});
