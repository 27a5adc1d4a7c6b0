import { startRateOf } from "../../../job/contracts/auto-rate.ts";
import type { LaneConfig, LimitsConfig } from "../../../job/contracts/drains-document.ts";
import { parseDuration } from "../../../job/rules/durations.ts";
import { orExpected, type Parsed } from "../../../job/rules/parsed.ts";
import * as z from "zod";
import { duration, key, parsed, section, wholeNumber } from "./building-blocks.ts";

/** Below it a canary's timeout, three quarters of it in whole seconds, would be none. */
const minWatchMs = 2_000;
const maxWatchMs = 3_600_000;

export const watch = parsed(parseDuration, { type: "string", examples: ["1m", "30s"] }).refine(
  (ms) => ms >= minWatchMs && ms <= maxWatchMs,
  "a duration from 2s to 1h, such as 1m",
);

/** `20%`: whole percents from 1 to 100, as a number from 0 to 1. */
function parseShare(value: unknown): Parsed<number> {
  const [, digits] = (typeof value === "string" ? /^(\d{1,3})%$/.exec(value.trim()) : null) ?? [];
  const percents = Number(digits);
  const isShare = percents >= 1 && percents <= 100;
  return orExpected(isShare ? percents / 100 : null, "a share from 1% to 100%, such as 20%");
}

const laneKeys = section({
  canary: key(wholeNumber(1, 100), "Messages of the first step."),
  watch: key(watch, "This long nothing of a step may come back."),
  haltAt: key(
    parsed(parseShare, { type: "string", examples: ["20%"] }),
    "More than this share of a step back halts the lane; with 100% all of it does.",
  ),
  probeEvery: key(duration, "Between two probes of a halted lane; at least watch."),
});

export const lane = z.union([z.literal("none").transform(() => null), laneKeys], "a mapping, or none");

const maxOpenFrom = 1_000;

/** Half of what the limits let through to one host in a watch: ten times as much would be bound by them. */
export function openFromOf(
  { canary, watchMs }: Pick<LaneConfig, "canary" | "watchMs">,
  { publish, perHost }: LimitsConfig,
): number {
  const rates = [publish, perHost && startRateOf(perHost)].filter((rate) => rate !== undefined);
  const inWatch = rates.map((rate) => (rate.count * watchMs) / rate.perMs);
  return Math.min(maxOpenFrom, Math.max(canary * 2, Math.floor(Math.min(...inWatch) / 2)));
}
