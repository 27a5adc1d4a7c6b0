import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { readDoc, tableRows } from "../support/markdown.ts";
import { mutations } from "./mutations.mjs";

/** Of a title that is that of its group, then its own. */
const endOf = (title: string): string => title.split(" ").slice(-4).join(" ");

it.each(mutations)("the break $name fits the code", ({ file, find }) => {
  expect(readFileSync(file, "utf8").split(find)).toHaveLength(2);
});

it("docs/internals/proof.md names each break with its test, and no other", () => {
  const rows = tableRows(readDoc("docs/internals/proof.md"), [
    "break",
    "the test that fails",
    "its title, or the race",
  ]);
  expect(rows.map(([name, test]) => [name, test])).toEqual(
    mutations.map(({ name, test }) => [name, `\`${test}\``]),
  );
  const elsewhere = rows.filter(
    ([, test = "", title = ""]) => !readDoc(test.slice(1, -1)).includes(endOf(title)),
  );
  expect(elsewhere).toEqual([]);
});
