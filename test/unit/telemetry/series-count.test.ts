import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { isHere } from "../../support/tools.ts";
import { seriesOf, wholeMetricsPage } from "../../support/whole-metrics-page.ts";

it("50 drains of a source with three indexes, and all that can be known of them, are fewer than 2,550 series of ours", async () => {
  const { own, others } = seriesOf(await wholeMetricsPage(50, 3));
  expect(own.length).toBeGreaterThan(1_500);
  expect(own.length).toBeLessThan(2_550);
  // Each line of Node has its own kinds of handles and garbage collections: 53 series in Node 20, 65 in 26.
  expect(others.length).toBeLessThan(100);
  expect(others.filter((line) => !/^(?:process|nodejs)_/.test(line))).toEqual([]);
});

it.skipIf(!isHere("promtool"))("promtool finds nothing wrong with them", async () => {
  const lines = (await wholeMetricsPage()).split("\n").filter((line) => /^(?:# \w+ )?redriver_/.test(line));
  const check = spawnSync("promtool", ["check", "metrics"], {
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
  });
  expect({ status: check.status, said: check.stdout + check.stderr }).toEqual({ status: 0, said: "" });
});
