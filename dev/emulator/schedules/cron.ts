import { CronExpressionParser } from "cron-parser";
import { EmulatorRefusal } from "../refusal.ts";

export interface Cron {
  /** As it was given, without blanks around it. */
  readonly text: string;
  /** The first moment behind another, Unix ms; undefined if there is none. */
  readonly next: (after: number) => number | undefined;
}

/**
 * Five fields, in UTC or in the zone of a `CRON_TZ=…` before them. Source: the service's API reference,
 * "Create a Schedule", which has a minute as the finest resolution. Refuses with 400 what never comes true.
 */
export function parseCron(given: string, now: number): Cron {
  const text = given.trim();
  const [, zone = "UTC", pattern = ""] = /^(?:CRON_TZ=(\S+)\s+)?(.*)$/.exec(text) ?? [];
  // The parser fills missing fields in, takes a sixth as seconds, and replaces H by a random number.
  const isFiveFields = text.length <= maxLength && pattern.split(/\s+/).length === 5;
  if (!isFiveFields || /h(?![a-z])/i.test(pattern)) throw refusal(text);
  const next = (after: number): number | undefined => {
    try {
      return CronExpressionParser.parse(pattern, { tz: zone, currentDate: new Date(after) })
        .next()
        .getTime();
    } catch {
      return undefined;
    }
  };
  if (next(now) === undefined) throw refusal(text);
  return { text, next };
}

const maxLength = 200;

const refusal = (text: string): EmulatorRefusal =>
  new EmulatorRefusal(400, `invalid cron: ${text}: expected five fields that come true some day`);
