import { defined } from "../../job/message/defined.ts";
import { builtInAuto } from "../../job/contracts/auto-rate.ts";
import type { LaneConfig, LimitsConfig, Schedule } from "../../job/contracts/drains-document.ts";
import { noticeEvents } from "../../job/contracts/notices.ts";
import type { IndexKeys } from "./schema/document-schema.ts";
import type { CommonKeys } from "./schema/drain-schema.ts";
import { toFlowControl, type FlowControlKeys } from "./schema/flow-control-schema.ts";
import { openFromOf } from "./schema/lane-schema.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What holds without a word in the document. A drain's keys lie below `defaults`, which lie below its own. */
export const builtIn = {
  paused: false,
  source: { retention: 3 * dayMs, dedupWindow: 10 * minuteMs, census: 15 * minuteMs },
  drain: {
    mode: "plan",
    schedule: { every: 30 * secondMs, full: 30 * minuteMs },
    minAge: 2 * minuteMs,
    attempts: { max: 5, wait: [2 * minuteMs, 10 * minuteMs, hourMs, 4 * hourMs], then: "park" },
    lane: { canary: 5, watch: minuteMs, haltAt: 0.2, probeEvery: 5 * minuteMs },
    limits: {
      publish: { count: 200, perMs: secondMs },
      perHost: { fromPerSecond: builtInAuto.fromPerSecond, toPerSecond: builtInAuto.toPerSecond },
      perPass: 20_000,
      perDay: null,
    },
    /** Nothing notices early that a destination is down. So less of what is published can be in vain. */
    limitsWithoutLane: {
      publish: { count: 20, perMs: secondMs },
      perHost: { count: 10, perMs: secondMs },
      perPass: 20_000,
      perDay: 100_000,
    },
    flowControl: null,
    onLoss: "park",
    unknownOutcome: "republish",
    afterLedgerLoss: "republish",
    beforeExpiry: { within: 12 * hourMs, then: "archive" },
    otherwise: "hold",
  },
  archiveKeepMs: 30 * dayMs,
  guardWhenStale: "hold",
  indexEveryMs: 5 * minuteMs,
  indexPeriod: "1h",
  notify: { allowPrivate: false, events: noticeEvents, every: 300_000 },
} as const;

/** Drain over `defaults` over built-in: mappings key by key, lists replaced. `none` takes away what lies below. */
export function toEffective(defaults: CommonKeys, drain: CommonKeys) {
  const keys = over<CommonKeys>(builtIn.drain, defaults, drain);
  const below = builtIn.drain;
  const { max, wait, then } = over(below.attempts, defaults.attempts, drain.attempts);
  const expiry = over(below.beforeExpiry, defaults.beforeExpiry, drain.beforeExpiry);
  const lane = keys.lane === null ? null : over(below.lane, defaults.lane, drain.lane);
  const limits = toLimits(
    over<LimitsKeys>(lane === null ? below.limitsWithoutLane : below.limits, defaults.limits, drain.limits),
    lane?.watch ?? builtInAuto.watchMs,
  );
  return {
    mode: keys.mode,
    schedule: toSchedule([defaults.schedule, drain.schedule], below.schedule.every),
    fullEveryMs: drain.schedule?.full ?? defaults.schedule?.full ?? below.schedule.full,
    minAgeMs: keys.minAge,
    attempts: { max, waitMs: wait, then },
    ...(lane !== null && { lane: toLane(lane, limits) }),
    limits,
    ...(keys.flowControl !== null && {
      flowControl: toFlowControl(
        over<object>({}, defaults.flowControl, drain.flowControl) as FlowControlKeys,
      ),
    }),
    onLoss: keys.onLoss,
    unknownOutcome: keys.unknownOutcome,
    afterLedgerLoss: keys.afterLedgerLoss,
    beforeExpiry: { withinMs: expiry.within, then: expiry.then },
    otherwise: keys.otherwise,
  };
}

type Whole<Keys> = { readonly [Key in keyof Keys]-?: Exclude<Keys[Key], undefined> };

function over<Keys extends object>(
  base: Whole<NoInfer<Keys>>,
  ...layers: readonly (Keys | null | undefined)[]
): Whole<Keys> {
  return Object.assign({ ...base }, ...layers.map((layer) => defined(layer ?? {}))) as Whole<Keys>;
}

function toLane(
  { canary, watch, haltAt, probeEvery }: Whole<NonNullable<CommonKeys["lane"]>>,
  limits: LimitsConfig,
): LaneConfig {
  const openFrom = openFromOf({ canary, watchMs: watch }, limits);
  return { canary, watchMs: watch, haltAt, probeEveryMs: probeEvery, openFrom };
}

type LimitsKeys = NonNullable<CommonKeys["limits"]>;

function toLimits({ perHost, ...others }: Whole<LimitsKeys>, watchMs: number): LimitsConfig {
  const limits = {
    ...others,
    perHost: perHost !== null && "fromPerSecond" in perHost ? { ...perHost, watchMs } : perHost,
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null)) as LimitsConfig;
}

export function toSchedule(
  layers: readonly (IndexKeys["schedule"] | undefined)[],
  everyMs: number,
): Schedule {
  let schedule = { kind: "every", everyMs } as Schedule;
  for (const { every, cron, timezone } of layers.filter((layer) => layer !== undefined)) {
    if (every !== undefined) schedule = { kind: "every", everyMs: every };
    const below = schedule.kind === "cron" ? schedule : undefined;
    const pattern = cron ?? below?.pattern;
    if (pattern === undefined) continue;
    const zone = defined({ timezone: timezone ?? below?.timezone });
    schedule = { kind: "cron", pattern, ...zone };
  }
  return schedule;
}
