import type { Lineage } from "../../job/message/lineage.ts";
import { toPrintable } from "../../job/message/show-masked-values.ts";
import { formatDuration } from "../../job/rules/durations.ts";
import type { Certain, CountedSoFar, Expired } from "../read/totals.ts";

/** `1 source`, `2 sources`. `many` if the plural is not made with an s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Made once, because a page asks for it hundreds of times; and when it is asked for, because it takes 20 ms. */
let numberFormat: Intl.NumberFormat | undefined;

export function number(count: number): string {
  numberFormat ??= new Intl.NumberFormat("en-US");
  return numberFormat.format(count);
}

/** `3 parked`; empty for 0. */
export function ifAny(count: number, what: string): string {
  return count > 0 ? `${count} ${what}` : "";
}

/** `guard 20`, `rate-limit 3`. */
export function toCounts(counts: Readonly<Record<string, number | undefined>>): readonly string[] {
  return Object.entries(counts).map(([what, count = 0]) => `${what} ${count}`);
}

/** A text, or what a condition that is not met leaves in its place. */
export type Part = string | false | 0 | null | undefined;

export function present(parts: readonly Part[]): readonly string[] {
  return parts.filter((part) => typeof part === "string" && part !== "") as string[];
}

export function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export function joined(...parts: readonly Part[]): string {
  return present(parts).join("");
}

/** `2026-11-20 10:15:00 UTC`; a number that is no moment as it is. */
export function toTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return String(at);
  return date
    .toISOString()
    .replace("T", " ")
    .replace(/\.\d+Z$/, " UTC");
}

/** `2026-11-20 10:15:00–10:16:30 UTC`; of what began and ended in one second, that. */
export function toTimes(since: number, at: number): string {
  const [begin, end] = [toTime(since), toTime(at)];
  if (begin === end) return end;
  return `${begin.slice(0, 19)}–${begin.slice(0, 10) === end.slice(0, 10) ? end.slice(11) : end}`;
}

/** `2026-11-20T10:15:00Z`: a time without a space, for columns. */
export function toSecond(at: number, since = at): string {
  return toTimes(since, at).replaceAll(" UTC", "Z").replaceAll(" ", "T");
}

/** `2026-11-20 10:15`, in UTC: so that two fit beside a name in 80 columns. */
export function toMinute(at: number): string {
  return toTime(at).slice(0, 16);
}

/** `14:32 UTC`; with its day if that is another one than `now`'s. Unix ms. */
export function toClock(at: number, now: number): string {
  return toExactClock(at, now).replace(/:\d\d UTC$/, " UTC");
}

/** With seconds: for what a sum begins at. */
export function toExactClock(at: number, now: number): string {
  const text = toTime(at);
  return text.startsWith(toTime(now).slice(0, 10)) ? text.slice(11) : text;
}

/** `entered by 14:32:05 UTC`: the next pass counts what came later. Empty: one of the drains was never counted. */
export function toEnteredBy(
  drains: readonly { readonly facts: { readonly countedTo?: number } | null }[],
  now: number,
): string {
  const at = Math.min(...drains.map(({ facts }) => facts?.countedTo ?? 0));
  return at > 0 && drains.length > 0 ? `entered by ${toExactClock(at, now)}` : "";
}

/** When something ends: with seconds in the last ten minutes. */
export function toUntil(at: number, now: number): string {
  return at - now < 600_000 ? toTime(at).slice(11) : toClock(at, now);
}

/** `priya works on it since 09:12 UTC`; empty for nobody. */
export function toOwnersText(
  owners: readonly { readonly name: string; readonly at: number }[],
  now: number,
  what = "it",
): string {
  if (owners.length === 0) return "";
  const names = owners.map(({ name }) => cut(toPrintable(name), maxName)).join(", ");
  const since = toClock(Math.min(...owners.map(({ at }) => at)), now);
  return `${names} ${owners.length === 1 ? "works" : "work"} on ${what} since ${since}`;
}

const maxName = 40;

/** `480`, `at least 480`, `at most 480`. */
export function toCertain({ count, isExact, expiredSince }: Certain): string {
  if (count === 0 || expiredSince === undefined) return `${isExact ? "" : "at least "}${number(count)}`;
  if (isExact) return `at most ${number(count)}`;
  return `at least ${number(count)} (less what expired since ${toMinute(expiredSince).slice(5)} UTC)`;
}

/** `480`; `at most 480` once some of it has expired. */
export function toLeft(count: number, { expiredSince }: Expired): string {
  return toCertain({ count, isExact: true, expiredSince });
}

/** ` by 20:35:31 UTC`: what a batch acts on is counted at its end. */
export function toCountedBy(at: number | undefined): string {
  return at === undefined ? "" : ` by ${toTime(at).slice(11)}`;
}

/** Of what expires: `119`; `at most 119` once the first may have. */
export function toExpiringCount(count: number, earliestAt: number, now: number): string {
  return toLeft(count, earliestAt <= now ? { expiredSince: earliestAt } : {});
}

/** `Plan all 480`, `Plan all, at most 480`. */
export function withCount(words: string, certain: Certain): string {
  const text = toCertain(certain);
  return `${words}${text === number(certain.count) ? "" : ","} ${text}`;
}

/** While something counts for the first time, 0 is not known. */
export function toKnown(count: number, { stillCounting, expiredSince }: CountedSoFar): string {
  if (stillCounting && count === 0) return "–";
  return toCertain({ count, isExact: !stillCounting, expiredSince });
}

/** `in 4m`, `now`: how status and plans name the next probe or step, and a result. */
export function toIn(ms: number): string {
  return ms === 0 ? "now" : `in ${formatDuration(Math.max(1_000, ms))}`;
}

/** `in 1m12s to 10m`, `in 1h`. */
export function toSpan(from: number, to: number, now: number): string {
  const [first, last] = [from, to].map((at) => formatDuration(Math.max(0, at - now)));
  return first === last ? `in ${first}` : `in ${first} to ${last}`;
}

/** How long ago. 0 for the future: the clocks of this machine, Redis and the service are not one. */
export function toAge(at: number, now: number): string {
  return formatDuration(Math.max(0, now - at));
}

/** By signed lineage. A probe that came back `down` leaves its attempt to the next redrive. */
export function cameBackText({ parentDlqId, attempt, step }: Lineage): string {
  const how = step?.isCanary === true ? `, sent as a ${step.isProbe ? "probe" : "canary"}` : "";
  return `it came back from ${parentDlqId} after attempt ${attempt}${how}`;
}

export function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
