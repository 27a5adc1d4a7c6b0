import { CronExpressionParser } from "cron-parser";
import type { Parsed } from "../../../job/rules/parsed.ts";
import { durationFrom, parsed, positiveDuration, section } from "./building-blocks.ts";

const cronExpected = 'a cron pattern of five fields, or six with seconds first, such as "*/5 * * * *"';

/** So the answer depends on the pattern alone. In a leap year: 29 February comes. */
const triedFrom = new Date(Date.UTC(2024, 0, 1));

export const cronPattern = parsed(parseCron, { type: "string", examples: ["*/5 * * * *"] });
export const timezone = parsed(parseTimezone, { type: "string", examples: ["Europe/Berlin"] });

const scheduleKeys = {
  every: durationFrom(100, "a duration of at least 100ms, such as 30s").optional(),
  cron: cronPattern.optional(),
  timezone: timezone.optional(),
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
