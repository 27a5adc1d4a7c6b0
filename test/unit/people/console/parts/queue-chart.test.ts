import { expect, it } from "vitest";
import { QueueChartFigure } from "../../../../../src/people/console/parts/queue-chart.tsx";
import type { Status } from "../../../../../src/people/operations/status/read.ts";
import { toQueueChart } from "../../../../../src/people/read/queue-chart.ts";

const minutes = Array.from({ length: 24 }, (_, index) => 1_000 + index);
const sampleOf = (index: number) => ({
  waiting: 10 * index,
  parked: 0,
  arrived: index ** 2,
  published: 0,
  failedAgain: 0,
});

/** Of each row: the minute, what waited, what had arrived since the minute before. The newest first. */
async function rowsOf(begin: number): Promise<readonly string[]> {
  const samples = minutes.map((_, index) => (index < begin ? null : sampleOf(index)));
  const chart = toQueueChart(minutes, samples, null);
  const status = { drains: [] } as unknown as Status;
  const html = String(await QueueChartFigure({ chart, marks: [], status }));
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
  const latest = { at: 60_170_000, sample: sampleOf(3) };
  const chart = toQueueChart(
    [1_000, 1_003, 1_006].map((minute) => minute - 4),
    samples,
    latest,
  );
  const html = String(
    await QueueChartFigure({ chart, marks: [], status: { drains: [] } as unknown as Status }),
  );
  expect(html).toContain("in 3m<");
  const rows = [...(html.split("<tbody>")[1] ?? "").matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = ""]) =>
    row
      .replaceAll(/<[^>]+>/g, " ")
      .replaceAll(/ +/g, " ")
      .trim(),
  );
  expect(rows[0]).toBe("1970-01-01 16:42:50 UTC 30 8 0 0");
  expect(rows).toHaveLength(2);
});

it("a halt says above its mark when it was, and the newer one if two stand close together", async () => {
  const chart = toQueueChart(
    minutes,
    minutes.map((_, index) => sampleOf(index)),
    null,
  );
  const status = { drains: [] } as unknown as Status;
  const marks = [1_022, 1_020, 1_005].map((minute) => ({
    at: minute * 60_000,
    act: minute === 1_022 ? "pause" : "lane-halted",
    by: "ann",
    drain: "orders",
    origin: "https://pay.example.com",
  }));
  const more = { ...marks[1]!, at: 1_018 * 60_000 };
  const ofHost = { ...marks[0]!, host: "pay.example.com", drain: null, origin: null };
  const all = [ofHost, marks[1]!, more, marks[2]!] as never;
  const html = String(await QueueChartFigure({ chart, marks: all, status }));
  const labels = [...html.matchAll(/<text[^>]*>(halted [^<]*)</g)].map(([, label]) => label);
  expect(labels).toEqual(["halted 17:00", "halted 16:45"]);
  expect(html).toContain("17:02 UTC pay.example.com in all drains: paused, by ann");
});
