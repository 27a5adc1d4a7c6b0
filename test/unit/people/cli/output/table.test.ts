import { expect, it } from "vitest";
import { toTable } from "../../../../../src/people/cli/output/table.ts";

const rows = ["💥".repeat(60), "L".repeat(2_000), "a.example"].map((name) => ({ name }));
const columns = {
  destination: ({ name }: { name: string }) => name,
  state: () => "halted",
  why: () => "a probe failed again, and there was no answer to it for a while",
};

it.each([40, 80])("a table of strangers' names fits %i columns, and tells of none at length", (width) => {
  const lines = toTable(width, rows, columns).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(lines.length).toBeLessThan(25);
  expect(lines.join("")).not.toMatch(/\p{Cs}/u);
});
