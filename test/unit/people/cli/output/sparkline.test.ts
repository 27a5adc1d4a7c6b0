import { expect, it } from "vitest";
import { barsFor, toSparkline } from "../../../../../src/people/cli/output/sparkline.ts";

it.each([
  { values: [], unicode: "", ascii: "" },
  { values: [5], unicode: "▁", ascii: "_" },
  { values: [0, 0, 0], unicode: "▁▁▁", ascii: "___" },
  { values: [0, 1, 2, 3, 4, 5, 6, 7], unicode: "▁▂▃▄▅▆▇█", ascii: "_.:-=+*#" },
  { values: [-1e308, 0, 1e308], unicode: "▁▅█", ascii: "_=#" },
])("$values is a line of bars from its lowest to its highest value", ({ values, unicode, ascii }) => {
  expect(toSparkline(values, 20, "unicode")).toBe(unicode);
  expect(toSparkline(values, 20, "ascii")).toBe(ascii);
});

it("a series longer than the line keeps its one spike and its one gap", () => {
  const values = Array.from({ length: 240 }, (_, index) => (index === 100 ? 100 : index === 201 ? 0 : 50));
  expect(toSparkline(values, 20, "unicode")).toBe("▅▅▅▅▅▅▅▅█▅▅▅▅▅▅▅▁▅▅▅");
});

it.each([
  { env: { LANG: "en_US.UTF-8" }, bars: "unicode" },
  { env: { LC_ALL: "", LC_CTYPE: "C.utf8", LANG: "C" }, bars: "unicode" },
  { env: { LC_ALL: "C", LANG: "en_US.UTF-8" }, bars: "ascii" },
  { env: { LANG: "en_US.UTF-8", TERM: "dumb" }, bars: "ascii" },
  { env: {}, bars: "ascii" },
])("$env has $bars bars", ({ env, bars }) => {
  expect(barsFor(env)).toBe(bars);
});
