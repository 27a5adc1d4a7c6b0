import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readDoc, root, tableRows } from "../support/markdown.ts";

const rows = tableRows(readDoc("docs/internals/proof.md"), ["id", "race", "the test that plays it"]);

/** `R07 <file>` of each test whose title begins with an id. */
const tests = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`)
  .flatMap((file) => [...readDoc(file).matchAll(/"(R\d{2}) /g)].map(([, id]) => `${id} ${file}`));

it("names the file of each test that has the id of a race, and no other", () => {
  expect(rows.length).toBeGreaterThan(50);
  const documented = rows.map(([id, , file]) => `${id} ${file?.replaceAll("`", "")}`);
  expect(documented.toSorted()).toEqual(tests.toSorted());
});

it("has each race and each id once", () => {
  for (const column of [0, 1]) expect(new Set(rows.map((row) => row[column])).size).toBe(rows.length);
});
