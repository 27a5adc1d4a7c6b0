import { expect, it } from "vitest";
import type { AuditEntry } from "../../../../src/job/contracts/audit.ts";
import { readChartMarks } from "../../../../src/people/read/chart-marks.ts";

const minute = 60_000;
const pause = { act: "pause", by: "ann", drain: null, why: "INC-7", records: [] };
const halt = { act: "lane-halted", by: "daemon a", drain: "orders", records: [] };
const apply = { act: "apply", by: "ann", drain: "orders", why: "plan p1", records: [{ dlqId: "1-0" }] };

it("an act has one mark: a pause of two sources, and the pages of an apply", async () => {
  const entries: readonly object[] = [
    { ...apply, at: 61 * minute },
    { ...apply, at: 60 * minute },
    { ...pause, at: 30 * minute + 8, source: "us", host: "pay.example.com" },
    { ...pause, at: 30 * minute, source: "eu", host: "pay.example.com" },
    { ...pause, at: 20 * minute + 8, source: "us" },
    { ...pause, at: 20 * minute, source: "eu" },
    { ...halt, at: 10 * minute, lane: { origin: "https://b.example" } },
    { ...halt, at: 10 * minute, lane: { origin: "https://a.example" } },
    { ...pause, at: 0, source: "eu" },
  ];
  const read = async function* () {
    yield* entries as readonly AuditEntry[];
  };
  const marks = await readChartMarks({ read }, 0);
  expect(marks.map(({ at, act, host }) => [at / minute, act, host])).toEqual([
    [60, "apply", undefined],
    [30, "pause", "pay.example.com"],
    [20, "pause", undefined],
    [10, "lane-halted", undefined],
    [10, "lane-halted", undefined],
    [0, "pause", undefined],
  ]);
});
