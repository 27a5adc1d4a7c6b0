/** What holds without a word, as somebody would write it: for editors, and for the document in effect. */
import { durationText } from "../../job/rules/durations.ts";
import { rateText } from "../../job/rules/patterns/parse-rate.ts";
import { builtIn } from "./apply-defaults.ts";

export const each = "*";

const { source, drain, notify } = builtIn;
const drainDefaults = {
  mode: drain.mode,
  schedule: { every: durationText(drain.schedule.every), full: durationText(drain.schedule.full) },
  minAge: durationText(drain.minAge),
  attempts: { ...drain.attempts, wait: drain.attempts.wait.map(durationText) },
  lane: {
    canary: drain.lane.canary,
    watch: durationText(drain.lane.watch),
    haltAt: `${Math.round(drain.lane.haltAt * 100)}%`,
    probeEvery: durationText(drain.lane.probeEvery),
  },
  limits: {
    publish: byLane(rateText(drain.limits.publish), rateText(drain.limitsWithoutLane.publish)),
    // The rates of `auto` itself are in its description.
    perHost: byLane("auto", rateText(drain.limitsWithoutLane.perHost)),
    perPass: drain.limits.perPass,
    perDay: byLane(drain.limits.perDay ?? "none", drain.limitsWithoutLane.perDay),
  },
  flowControl: drain.flowControl ?? "none",
  onLoss: drain.onLoss,
  unknownOutcome: drain.unknownOutcome,
  afterLedgerLoss: drain.afterLedgerLoss,
  beforeExpiry: { within: durationText(drain.beforeExpiry.within), then: drain.beforeExpiry.then },
  otherwise: drain.otherwise,
};

export const writtenDefaults = {
  paused: builtIn.paused,
  archive: { keep: durationText(builtIn.archiveKeepMs) },
  sources: {
    [each]: {
      retention: durationText(source.retention),
      dedupWindow: durationText(source.dedupWindow),
      census: durationText(source.census),
    },
  },
  defaults: drainDefaults,
  drains: {
    [each]: {
      ...drainDefaults,
      paused: builtIn.paused,
      guards: { [each]: { whenStale: builtIn.guardWhenStale } },
    },
  },
  indexes: {
    [each]: { schedule: { every: durationText(builtIn.indexEveryMs) }, period: builtIn.indexPeriod },
  },
  notify: { [each]: { ...notify, every: durationText(notify.every) } },
};

function byLane(withLane: unknown, withoutLane: string | number) {
  return { withLane, withoutLane };
}
