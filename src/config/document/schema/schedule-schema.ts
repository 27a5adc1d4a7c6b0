import { CronExpressionParser } from "cron-parser";
import { parseDuration } from "../../../rules/durations.ts";
import type { Parsed } from "../../../rules/patterns/pattern-kind.ts";
import { parsed, section } from "./shapes.ts";

const cronExpected = 'a cron pattern of five fields, or six with seconds first, such as "*/5 * * * *"';

/**
 * A moment for trying patterns, so that the answer depends on the pattern alone. In a leap year: 29 February
 * comes.
 */
const triedFrom = new Date(Date.UTC(2024, 0, 1));

export const duration = parsed(parseDuration, { type: "string", examples: ["30s", "2m", "1h30m", "3d"] });

function durationOf(minMs: number, expected: string) {
  return duration.refine((ms) => ms >= minMs, expected);
}

export const positiveDuration = durationOf(1, "a duration longer than nothing, such as 30s");

/** A census lists everything: more often than this it would only load the service. */
export const censusInterval = durationOf(1_000, "a duration of at least 1s, such as 15m");

/** What was dropped has to outlive the weekend in which somebody asks for it. */
export const keepTime = durationOf(3 * 86_400_000, "a duration of at least 3d, such as 30d");

const scheduleKeys = {
  every: durationOf(100, "a duration of at least 100ms, such as 30s").optional(),
  cron: parsed(parseCron, { type: "string", examples: ["*/5 * * * *"] }).optional(),
  timezone: parsed(parseTimezone, { type: "string", examples: ["Europe/Berlin"] }).optional(),
};

export const drainSchedule = section({ ...scheduleKeys, full: positiveDuration.optional() });
export const indexSchedule = section(scheduleKeys);

/** A pattern that cron-parser, which BullMQ schedules with, takes, and that comes true some day. */
function parseCron(value: unknown): Parsed<string> {
  const pattern = typeof value === "string" ? value.trim() : "";
  // cron-parser fills missing fields in, and replaces H by a number that differs at each start.
  const fields = pattern.length <= 200 ? pattern.split(/\s+/) : [];
  if (fields.length < 5 || fields.length > 6 || fields.some((field) => field.startsWith("H"))) {
    return { ok: false, expected: cronExpected };
  }
  try {
    CronExpressionParser.parse(pattern, { currentDate: triedFrom, tz: "UTC" }).next();
    return { ok: true, value: fields.join(" ") };
  } catch {
    return { ok: false, expected: `${cronExpected}, that comes true some day` };
  }
}

function parseTimezone(value: unknown): Parsed<string> {
  const expected = "a time zone such as Europe/Berlin or UTC";
  if (typeof value !== "string" || !/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(value))
    return { ok: false, expected };
  try {
    // Throws for a zone that this machine's time zone data does not have.
    new Intl.DateTimeFormat("en", { timeZone: value }).format(0);
    return { ok: true, value };
  } catch {
    return { ok: false, expected };
  }
}
