import { expect, it } from "vitest";
import { readDoc } from "../support/markdown.ts";

const [, races = ""] = readDoc("docs/guarantees.md").split("\n## Races\n");
const [table = ""] = races.split("\n## ");
const rows = [...table.matchAll(/^\| (.+) \| `(.+)`: (.+) \|$/gm)].map(
  ([, race = "", file = "", title = ""]) => [race, file, title] as const,
);

it("names a test of that title for each race, and each race once", () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(new Set(rows.map(([race]) => race)).size).toBe(rows.length);
  for (const [, file, title] of rows) expect(readDoc(file)).toContain(`"${title}"`);
});
