import { InvalidArgumentError, Option } from "commander";
import { systemClock } from "../../../system-world.ts";
import { toDestinationName, type DestinationName } from "../../../job/message/destination-names.ts";
import { parseDuration } from "../../../job/rules/durations.ts";
import { parseEdge, resolveEdge } from "../../../job/rules/patterns/parse-dates.ts";

/**
 * An option that is a moment, as Unix ms: `2d` (so long before now), a date (its first or its last
 * millisecond in UTC), a time with a zone, or Unix ms.
 */
export function timeOption(flags: string, description: string, side: "from" | "to"): Option {
  const { now } = systemClock;
  return new Option(flags, description).argParser((text: string) => {
    const span = parseDuration(text);
    if (span.ok) return now() - span.value;
    const edge = parseEdge(/^\d{12,15}$/.test(text) ? Number(text) : text, side);
    if (edge.ok) return resolveEdge(edge.value, now());
    throw new InvalidArgumentError(
      "Expected a time before now (2d), a date (2026-11-01), a time with a zone (2026-11-01T18:00:00Z) or Unix milliseconds.",
    );
  });
}

/** A span of time longer than none, in ms. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text: string) => {
    const span = parseDuration(text);
    if (span.ok && span.value > 0) return span.value;
    throw new InvalidArgumentError("Expected a duration in s, m, h or d, such as 30m, 2h or 1d.");
  });
}

export function hostOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(toHostName);
}

/** The name of a destination that a person means. */
export function toHostName(text: string): DestinationName {
  const name = toDestinationName(text);
  if (name !== null) return name;
  throw new InvalidArgumentError(
    "Expected a host (pay.example.com), a host with its port (pay.example.com:8443), an origin (https://pay.example.com) or a queue (queue:<name>).",
  );
}

export function countOption(flags: string, description: string): Option {
  const toCount = numberOf(/^(?!0+$)\d{1,12}$/, Infinity, "a whole number, at least 1");
  return new Option(flags, description).argParser(toCount);
}

export function textOf(fits: (text: string) => boolean, expected: string): (text: string) => string {
  return (text) => {
    if (fits(text)) return text;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}

export function numberOf(pattern: RegExp, max: number, expected: string): (text: string) => number {
  const toText = textOf((text) => pattern.test(text) && Number(text) <= max, expected);
  return (text) => Number(toText(text));
}
