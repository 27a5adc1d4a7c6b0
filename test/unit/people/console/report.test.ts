import { expect, test } from "vitest";
import { eachFigure } from "../../../../src/people/operations/report/count.ts";
import { toMarkdown } from "../../../../src/people/operations/report/markdown.ts";
import type { OutageReport } from "../../../../src/people/operations/report/read.ts";
import { reportScreen } from "../../../../src/people/console/screens/report.tsx";

const report: OutageReport = {
  from: Date.UTC(2026, 10, 20, 8),
  to: Date.UTC(2026, 10, 20, 10),
  host: "*|<b>",
  delays: null,
  figures: { ...eachFigure(() => 1_200), expired: null },
  ofNoDrain: 0,
  expiredSince: undefined,
  hosts: [{ host: "pay|1.example.com", sentAgain: 1_200, failedAgain: 3, waitsAfter: null }],
  acts: [],
  unknown: [{ figure: "expired", why: "arrivals are kept for a week" }],
};

test("the report's page has its headings and tables, and the same as Markdown to copy", async () => {
  const [section] = reportScreen.sections;
  const html = String(await section!.render(report, { query: new URLSearchParams() } as never));
  const page = html.replace(/<details.*<\/details>/s, "");
  expect([...page.matchAll(/<h2>([^<]*)/g)].map(([, title]) => title)).toEqual([
    "In all",
    "By host",
    "Not known",
  ]);
  expect(page).toMatch(
    /<th scope="col" class="number"><span title="[^"]*">sent again.*<bdi>pay\|1.example.com.*1,200/s,
  );
  expect(page).not.toMatch(/\| |<pre/);
  expect(html).toContain("| pay\\|1.example.com | 1,200 | 3 | – |");
  expect(toMarkdown(report)).toMatch(
    /^# Outage report of .*\n\nFrom .*\n\n## In all\n\n\| what \| messages \|\n\| --- \|/,
  );
});
