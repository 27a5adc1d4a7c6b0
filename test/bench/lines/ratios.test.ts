import { describe, expect, it } from "vitest";
import { plainCase } from "../stand/case.ts";
import type { Measured } from "../stand/measure.ts";
import { toMarkdown, toSideBySide } from "../side-by-side.ts";
import {
  callsPer100,
  cpuPerMessage,
  isDeliveredOnce,
  limitUsed,
  redisBytesPerMessage,
  shareRefused,
  tripsPer100,
} from "./ratios.ts";

function toMeasured(contender: "floor" | "run", cpuMs: number, doubled = 0): Measured {
  return {
    case: { ...plainCase, contender, messages: 1_000, callsPerSecond: 50 },
    wallMs: 2_000,
    cpuMs,
    serviceCpuMs: 500,
    peakBytes: 1e8,
    redis: { cpuMs: 10, answersWritten: 50, bytesRead: 120_000, memoryBytes: 1 },
    service: {
      calls: { list: 60, batch: 10, delete: 42 },
      refused: 2,
      listed: 1_000,
      maxInFlight: 8,
      remaining: 0,
      returned: 0,
      delivered: 1_000,
      doubled,
      deduplicated: 0,
      broken: 0,
      begun: null,
      receiverUp: null,
      empty: null,
    },
  };
}

describe("ratios of the bench", () => {
  it("are per message, per 100 messages, and of the limit", () => {
    const run = toMeasured("run", 50);
    expect(cpuPerMessage(run)).toBe(50);
    expect(callsPer100(run)).toBe(11.2);
    expect(tripsPer100(run)).toBe(5);
    expect(redisBytesPerMessage(run)).toBe(120);
    expect(limitUsed(run)).toBe(1);
    expect(shareRefused(run)).toBe(2 / 102);
  });

  it("stand beside those of the floor in the table, which names what was doubled", () => {
    const rows = toSideBySide([toMeasured("floor", 20), toMeasured("run", 50, 3)]);
    expect(rows[2]).toContain("2.50");
    expect(rows[2]!.at(-1)).toContain("3 doubled");
    expect(isDeliveredOnce(toMeasured("run", 50, 3))).toBe(false);
    expect(toMarkdown(rows).split("\n")[1]).toMatch(/^\| --- \|/);
  });
});
