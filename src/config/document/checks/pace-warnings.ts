import { durationText } from "../../../rules/format-duration.ts";
import { rateText } from "../../../rules/patterns/parse-rate.ts";
import type { ValuePath } from "../../problem.ts";
import type { LintDrain, Warn } from "./lint-view.ts";

/** Of a rate without a period, as far as is known; a longer one would be lower still. */
const usualPeriodMs = 1_000;

/**
 * Warns of a drain with a lane if its flow control lets less through than the drain publishes. What waits at
 * the service under its key has not been tried when the watch is over. The lane takes that for silence
 * (docs/lanes.md, "Where it ends"). `rateAt`: where the rate is written.
 */
export function warnAboutPace(drain: LintDrain, rateAt: ValuePath, warn: Warn): void {
  const { lane, limits, flowControl } = drain.pace ?? {};
  if (lane === undefined || limits === undefined || flowControl?.rate === undefined) return;
  if (!drain.rules.some(({ then, set }) => then === "republish" && set.flowControl === undefined)) return;
  const rate = { count: flowControl.rate, perMs: flowControl.periodMs ?? usualPeriodMs };
  // Messages to all hosts wait under one key, so it is publish that counts; without it no host's own limit is
  // more than a part.
  const name = limits.publish === undefined && limits.perHost !== undefined ? "perHost" : "publish";
  const limit = limits[name];
  if (limit !== undefined && rate.count * limit.perMs >= limit.count * rate.perMs) return;
  const text = `${rate.count} per ${durationText(rate.perMs)}`;
  const [expected, found] =
    limit === undefined
      ? [`limits.publish of at most ${text}`, "none"]
      : [`at least limits.${name} (${rateText(limit)})`, text];
  warn(
    rateAt,
    expected,
    `drain ${drain.name} has a lane and may publish faster: what waits at the service under the key has not been tried when its watch is over, so its silence proves nothing; expected ${expected}, got ${found}`,
    found,
  );
}
