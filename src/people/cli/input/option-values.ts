import { InvalidArgumentError, Option } from "commander";
import { systemClock } from "../../../system-world.ts";
import { parseDuration } from "../../../job/rules/durations.ts";
import { parseEdge, resolveEdge } from "../../../job/rules/patterns/parse-dates.ts";
import { expectedName, isName } from "../../operations/define.ts";
import { userInfo } from "node:os";

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

export function byOption(about: string, preset: string | null = currentUser()): Option {
  const toName = textOf(isName, expectedName);
  const option = new Option("--by <name>", about).argParser(toName);
  return preset === null ? option : option.default(preset);
}

export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user need not have a name.
    return "unknown";
  }
}
