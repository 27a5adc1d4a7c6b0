import { describe, expect, it } from "vitest";
import { nextCronRun } from "../../../../src/job/queue/next-cron-run.ts";

const formats = new Map<string, Intl.DateTimeFormat>();
/** `2026-09-06 01:00` on the zone's clock. */
function wallOf(at: number, zone: string): string {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  formats.set(zone, format);
  return format.format(at);
}

/** The runs between two times, each asked for with the clock at the one before; on the zone's clock. */
function runsOf(pattern: string, zone: string, from: string, to: string): readonly string[] {
  const runs: string[] = [];
  const end = Date.parse(to);
  for (let at = nextCronRun(pattern, zone, Date.parse(from)); at < end; at = nextCronRun(pattern, zone, at)) {
    runs.push(wallOf(at, zone));
  }
  return runs;
}

const around = (day: string, days: number): string =>
  `${new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)}T15:00:00Z`;
const dayBehind = (day: string, days = 1): string => around(day, days).slice(0, 10);

describe("a midnight that does not exist", () => {
  const zones = [
    ["America/Santiago", "2026-09-06"],
    ["America/Havana", "2026-03-08"],
    ["Asia/Tehran", "2021-03-22"],
    ["Atlantic/Azores", "2026-03-29"],
  ] as const;

  it.each(zones)("runs at the first minute that exists, once for all of that hour: %s, %s", (zone, day) => {
    expect(runsOf("0 0 * * *", zone, around(day, -2), around(day, 1))).toEqual([
      `${dayBehind(day, -1)} 00:00`,
      `${day} 01:00`,
      `${dayBehind(day)} 00:00`,
    ]);
    const runs = (pattern: string): readonly string[] =>
      runsOf(pattern, zone, around(day, -1), around(day, 0)).map((run) => run.slice(11));
    for (const pattern of ["30 0 * * *", "*/5 0 * * *", "0 0,1 * * *", "30 0 0 * * *"]) {
      expect(runs(pattern), pattern).toEqual(["01:00"]);
    }
    expect(runs("0 0-3 * * *")).toEqual(["01:00", "02:00", "03:00"]);
    expect(runs("15 0,1,2 * * *")).toEqual(["01:00", "01:15", "02:15"]);
    // Of that day, week and month.
    const [, month = "", date = ""] = day.split("-").map((part) => String(Number(part)));
    for (const pattern of [
      `0 0 ${date} ${month} *`,
      `0 0 * * ${new Date(day).getUTCDay()}`,
      `0 0 ${date} * *`,
    ]) {
      expect(runs(pattern), pattern).toEqual(["01:00"]);
    }
  });
});

/** A day around each change of these zones in 2026, minute by minute on the zone's clock. */
const changes = [
  ["America/Santiago", "2026-09-06T04:00:00Z"],
  ["America/Santiago", "2026-04-05T03:00:00Z"],
  ["America/Havana", "2026-03-08T05:00:00Z"],
  ["America/Havana", "2026-11-01T05:00:00Z"],
  ["Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
] as const;

function* minutesAround(change: string): Generator<number> {
  const middle = Date.parse(change);
  for (let at = middle - 26 * 3_600_000; at < middle + 26 * 3_600_000; at += 60_000) yield at;
}

describe("around a change of the clock", () => {
  it.each(changes)("what runs each few minutes goes on by real time: %s, %s", (zone, change) => {
    const minutes = [...minutesAround(change)];
    for (const every of [5, 7]) {
      const pattern = `*/${every} * * * *`;
      const wanted = minutes.filter((at) => Number(wallOf(at, zone).slice(14, 16)) % every === 0);
      const runs: number[] = [];
      for (let at = minutes[0]! - 1; runs.length < wanted.length; runs.push(at)) {
        at = nextCronRun(pattern, zone, at);
      }
      expect(runs).toEqual(wanted);
    }
    const day = wallOf(Date.parse(change), zone).slice(8, 10);
    const ofDay = minutes.filter((at) => wallOf(at, zone).slice(8, 10) === day);
    const hourly = ofDay.filter((at) => wallOf(at, zone).endsWith(":10"));
    const runs: number[] = [];
    for (let at = minutes[0]! - 1; runs.length < hourly.length; runs.push(at)) {
      at = nextCronRun(`10 * ${Number(day)} * *`, zone, at);
    }
    expect(runs).toEqual(hourly);
  });

  it.each(changes)("each time of the day runs once: %s, %s", (zone, change) => {
    const minutes = [...minutesAround(change)];
    const walls = new Map<string, number>();
    for (const at of minutes) if (!walls.has(wallOf(at, zone))) walls.set(wallOf(at, zone), at);
    const day = wallOf(Date.parse(change), zone).slice(0, 10);
    const first = minutes.find((at) => wallOf(at, zone).startsWith(day))!;
    for (let minute = 0; minute < 1_440; minute += 15) {
      const [hour, rest] = [Math.floor(minute / 60), minute % 60];
      const wall = `${day} ${String(hour).padStart(2, "0")}:${String(rest).padStart(2, "0")}`;
      // The first minute that exists and is not before it.
      const [, expected] = [...walls].find(([one]) => one >= wall)!;
      const pattern = `${rest} ${hour} * * *`;
      const at = nextCronRun(pattern, zone, first - 1);
      expect([pattern, wallOf(at, zone)]).toEqual([pattern, wallOf(expected, zone)]);
      expect(at).toBe(expected);
      expect(wallOf(nextCronRun(pattern, zone, at), zone).slice(0, 10) > day, pattern).toBe(true);
    }
  });
});

it("asks no other pattern than cron-parser's: names, steps, the last day, seconds", () => {
  const from = Date.parse("2026-06-10T10:00:00Z");
  const at = (pattern: string, zone = "UTC"): string =>
    new Date(nextCronRun(pattern, zone, from)).toISOString();
  expect(at("*/5 8-18 * * MON-FRI", "Europe/Berlin")).toBe("2026-06-10T10:05:00.000Z");
  expect(at("0 9 L * *", "Europe/Berlin")).toBe("2026-06-30T07:00:00.000Z");
  expect(at("15 30 4 * * *", "Asia/Kolkata")).toBe("2026-06-10T23:00:15.000Z");
  expect(at("0 0 29 2 *")).toBe("2028-02-29T00:00:00.000Z");
  expect(() => at("0 0 31 2 *")).toThrow(/limit exceeded|explicit day of month/);
});
