import { expect, it } from "vitest";
import { QueueChartFigure } from "../../../../../src/people/console/parts/queue-chart.tsx";
import type { Status } from "../../../../../src/people/operations/status/read.ts";
import { toQueueChart, type QueueChart } from "../../../../../src/people/read/queue-chart.ts";

const minutes = Array.from({ length: 24 }, (_, index) => 1_000 + index);
const sampleOf = (index: number) => ({
  waiting: 10 * index,
  parked: 0,
  arrived: index ** 2,
  published: 0,
  failedAgain: 0,
});

async function figure(
  chart: QueueChart,
  marks: readonly object[] = [],
  destinations: readonly object[] = [],
) {
  const drain = { mode: "live", outlook: { going: 0, waiting: 0 }, destinations };
  const status = { drains: [drain], sources: [] } as unknown as Status;
  return String(
    await QueueChartFigure({ chart, marks: marks as never, status, enteredBy: "entered by 16:42" }),
  );
}

/** Of each row: the minute, what waited, what had arrived since the minute before. The newest first. */
async function rowsOf(begin: number): Promise<readonly string[]> {
  const samples = minutes.map((_, index) => (index < begin ? null : sampleOf(index)));
  const chart = toQueueChart(minutes, samples, null);
  const html = await figure(chart);
  const cells = /datetime="([^"]+)".*?"waiting"[^>]*>([\d–]+)<.*?"arrived"[^>]*>([\d–]+)</gs;
  const [, table = ""] = html.split("<tbody>");
  return [...table.matchAll(cells)].map(
    ([, time = "", waiting, arrived]) => `${Date.parse(time) / 60_000 - 1_000} ${waiting} ${arrived}`,
  );
}

it.each([0, 9])(
  "the table has what the chart has at each time, if samples begin at minute %i",
  async (begin) => {
    const rows = await rowsOf(begin);
    const rest = minutes.map((_, index) => `${index} ${10 * index} ${2 * index - 1}`).slice(begin + 1);
    expect(rows.slice(0, rest.length)).toEqual(rest.toReversed());
  },
);

it("a minute that nobody sampled has no row, and what moved in it is in the next", async () => {
  const samples = [sampleOf(0), sampleOf(1), null].map((sample) => sample && { ...sample, at: 60_024_000 });
  const latest = { at: 60_170_000, sample: { ...sampleOf(3), published: 1 } };
  const chart = toQueueChart(
    [1_000, 1_003, 1_006].map((minute) => minute - 4),
    samples,
    latest,
  );
  const html = await figure(chart, [], [{ waiting: 30, parked: 0, expiredSince: 60_169_000 }]);
  expect(html).toContain("in 3m<");
  const rows = [...(html.split("<tbody>")[1] ?? "").matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = ""]) =>
    row
      .replaceAll(/<[^>]+>/g, " ")
      .replaceAll(/ +/g, " ")
      .trim(),
  );
  expect(rows[0]).toBe("1970-01-01 16:42:50 UTC at most 30 8 1 0");
  expect(rows[1]).toContain(" UTC 10 1 0 0");
  expect(html).toMatch(
    /UTC 1 was sent again; 9 arrived and 0 failed again, entered by 16:42\. At most so many wait: some expired since 16:42 UTC\./,
  );
  expect(rows).toHaveLength(2);
});

it("a halt says above its mark when it was, and the newer one if two stand close together", async () => {
  const chart = toQueueChart(
    minutes,
    minutes.map((_, index) => sampleOf(index)),
    null,
  );
  const marks = [1_022, 1_020, 1_005].map((minute) => ({
    at: minute * 60_000,
    act: minute === 1_022 ? "pause" : "lane-halted",
    by: "ann",
    drain: "orders",
    origin: "https://pay.example.com",
  }));
  const more = { ...marks[1]!, at: 1_018 * 60_000 };
  const ofHost = { ...marks[0]!, host: "pay.example.com", drain: null, origin: null };
  const all = [ofHost, marks[1]!, more, marks[2]!];
  const html = await figure(chart, all);
  const labels = [...html.matchAll(/<text[^>]*>(halted [^<]*)</g)].map(([, label]) => label);
  expect(labels).toEqual(["halted 17:00", "halted 16:45"]);
  expect(html).toContain("17:02 UTC pay.example.com in all drains: paused, by ann");
});
