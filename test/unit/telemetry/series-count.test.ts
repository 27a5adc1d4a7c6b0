import { expect, it } from "vitest";
import { wholeMetricsPage } from "../../support/whole-metrics-page.ts";

it("50 drains of a source with three indexes, and all that can be known of them, are fewer than 2,500 series", async () => {
  const page = await wholeMetricsPage(50, 3);
  const series = page.split("\n").filter((line) => /^\w/.test(line));
  expect(series.length).toBeGreaterThan(1_500);
  expect(series.length).toBeLessThan(2_500);
});
