import { expect, it } from "vitest";
import { scalarFields, seriesFields } from "../../src/job/contracts/index-statistics.ts";
import { readDoc, tableRows } from "../support/markdown.ts";
import { wholeMetricsPage } from "../support/whole-metrics-page.ts";
import { ownMetrics, questionOf, toMetricsPage } from "../pages/metrics-page.ts";

it("docs/metrics.md is what npm run pages -- metrics writes", () => {
  expect(readDoc("docs/metrics.md")).toBe(toMetricsPage());
});

it("every metric of a metrics page is in docs/metrics.md with its type and labels, and no other is", async () => {
  const page = await wholeMetricsPage();
  const types = [...page.matchAll(/^# TYPE (redriver_\w+) (\w+)$/gm)].map(
    ([, name, type]) => `${name} ${type}`,
  );
  expect(types.toSorted()).toEqual(ownMetrics.map(({ name, type }) => `${name} ${type}`).toSorted());
  const labelsOf = new Map(
    ownMetrics.flatMap(({ name, type, labels }) =>
      (type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]).map((end) => [`${name}${end}`, labels]),
    ),
  );
  const samples = [...page.matchAll(/^(redriver_\w+)(?:\{(.*)\})? /gm)];
  const shown = samples.map(([, name = "", labels = ""]) => ({
    name,
    labels: [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label).filter((label) => label !== "le"),
  }));
  expect(shown.filter(({ name, labels }) => labels.join() !== labelsOf.get(name)?.join())).toEqual([]);
  // A metric without a sample here would not be looked at.
  const names = new Set(shown.map(({ name }) => name));
  expect([...labelsOf.keys()].filter((name) => !names.has(name))).toEqual([]);
});

it("each metric answers a question of its own, in at most 25 words", () => {
  const questions = ownMetrics.map(({ name }) => questionOf(name));
  expect(questions.filter((text) => !/^[A-Z].*[^ ?]\?$/.test(text) || text.split(" ").length > 25)).toEqual(
    [],
  );
  expect(questions.filter((text, at) => questions.indexOf(text) !== at)).toEqual([]);
});

it("docs/metrics.md maps each field of the search index statistics to a metric", () => {
  const rows = tableRows(readDoc("docs/metrics.md"), ["field", "metric", "question"]);
  const fields = [...scalarFields, ...seriesFields, "days"].map((field) => `\`${field}\``);
  expect(rows.flatMap(([field = ""]) => (field === "" ? [] : [field]))).toEqual(fields);
});
