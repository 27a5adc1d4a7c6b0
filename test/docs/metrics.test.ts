import { expect, it } from "vitest";
import { scalarFields, seriesFields } from "../../src/job/contracts/index-statistics.ts";
import { readDoc, tableRows } from "../support/markdown.ts";
import { wholeMetricsPage } from "../support/whole-metrics-page.ts";
import { ownMetrics, questionOf, toMetricsPage } from "../pages/metrics-page.ts";

it("docs/metrics.md is what npm run pages -- metrics writes", () => {
  expect(readDoc("docs/metrics.md")).toBe(toMetricsPage());
});

it("every metric of a metrics page is in docs/metrics.md with its labels, and has a sample", async () => {
  const page = await wholeMetricsPage();
  const types = [...page.matchAll(/^# TYPE (redriver_\w+) (\w+)$/gm)];
  expect(types.map(([, name = ""]) => name).toSorted()).toEqual(
    ownMetrics.map(({ name }) => name).toSorted(),
  );
  const histograms = types.flatMap(([, name = "", type]) => (type === "histogram" ? [name] : []));
  const samples = [...page.matchAll(/^(redriver_\w+)(?:\{(.*)\})? /gm)];
  const labelsOf = new Map(
    samples.map(([, sample = "", labels = ""]) => [
      histograms.find((name) => sample.startsWith(`${name}_`)) ?? sample,
      [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label).filter((label) => label !== "le"),
    ]),
  );
  expect(Object.fromEntries(labelsOf)).toEqual(
    Object.fromEntries(ownMetrics.map(({ name, labels }) => [name, labels])),
  );
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
