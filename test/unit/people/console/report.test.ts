import { expect, test } from "vitest";
import { eachFigure } from "../../../../src/people/operations/report/count.ts";
import { toMarkdown } from "../../../../src/people/operations/report/markdown.ts";
import type { OutageReport } from "../../../../src/people/operations/report/read.ts";
import { reportScreen } from "../../../../src/people/console/screens/report.tsx";

const report: OutageReport = {
  since: Date.UTC(2026, 9, 1),
  from: Date.UTC(2026, 10, 20, 8),
  to: Date.UTC(2026, 10, 20, 10),
  host: "*|<b>",
  delays: { medianMs: 60_000, p99Ms: 720_000 },
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
  const span = "From 2026-11-20 08:00 to 2026-11-20 10:00 UTC, *|&lt;b&gt;";
  expect([...page.matchAll(/<h2>([^<]*)/g)].map(([, title]) => title)).toEqual([span, "By host", "Acts"]);
  expect(page).toMatch(
    /<th scope="col" class="number"><span title="[^"]*">sent again.*<bdi>pay\|1.example.com.*1,200/s,
  );
  expect(page).not.toMatch(/\| |<pre/);
  const text = toMarkdown(report);
  expect(text).toMatch(/^# Outage report\n\n## From .*\n\n\| what \| messages \| note \|\n\| --- \|/);
  const rows = [
    "earlier | – | acts are kept for 30 days or 256 MiB",
    "= sent again | 1,200 | ",
    "+ expired | – | arrivals are kept for a week",
    "from entry to sent again: p99 | 12m | ",
    "pay\\|1.example.com | 1,200 | 3 | –",
  ];
  for (const row of rows) expect(text).toContain(`\n| ${row} |\n`);
  expect(html).toContain(rows.at(-1));
  expect(toMarkdown({ ...report, since: report.from })).not.toContain("30 days");
  const act = {
    at: 0,
    since: 0,
    act: "apply",
    count: 0,
    drain: null,
    hosts: { top: [], more: 0 },
    by: "ann",
  };
  const acts = Array.from({ length: 200 }, () => ({ ...act, source: "eu", notes: [] }) as never);
  const many = { ...report, acts };
  expect(toMarkdown(many)).toContain("\n## The last 200 acts: redriver history has the earlier ones\n");
});
