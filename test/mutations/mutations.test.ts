import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { mutations } from "./mutations.mjs";

it.each(mutations)(
  "the break $name fits the code, and docs/proof.md names it",
  ({ name, file, find, test }) => {
    expect(readFileSync(file, "utf8").split(find)).toHaveLength(2);
    expect(readFileSync("docs/proof.md", "utf8")).toContain(`| ${name} | \`${test}\``);
  },
);
