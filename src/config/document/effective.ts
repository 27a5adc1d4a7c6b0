import { defined } from "../../message/defined.ts";
import type { DrainConfig, LaneConfig, LimitsConfig, Schedule } from "../../ports/drains.ts";
import type { IndexKeys } from "./schema/document-schema.ts";
import type { CommonKeys } from "./schema/drain-schema.ts";
import { toFlowControl, type FlowControlKeys } from "./schema/flow-control-schema.ts";
import { openFromOf } from "./schema/lane-schema.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The built-in values; a document's `defaults` and each drain lie over them, key by key. */
export const builtIn = {
  sourceRetentionMs: 3 * dayMs,
  sourceDedupWindowMs: 10 * minuteMs,
  sourceCensusEveryMs: 15 * minuteMs,
  mode: "plan",
  everyMs: 30 * secondMs,
  fullEveryMs: 30 * minuteMs,
  minAgeMs: 2 * minuteMs,
  attempts: { max: 5, waitMs: [2 * minuteMs, 10 * minuteMs, hourMs, 4 * hourMs], then: "park" },
  unknownOutcome: "republish",
  afterLedgerLoss: "republish",
  otherwise: "hold",
  lane: { canary: 5, watchMs: minuteMs, haltAt: 0.2, probeEveryMs: 5 * minuteMs },
  limits: {
    publish: { count: 20, perMs: secondMs },
    perHost: { count: 10, perMs: secondMs },
    perPass: 20_000,
    perDay: 100_000,
  },
  onLoss: "park",
  beforeExpiry: { withinMs: 12 * hourMs, then: "archive" },
  archiveKeepMs: 30 * dayMs,
  guardWhenStale: "hold",
  indexEveryMs: 5 * minuteMs,
  indexPeriod: "1h",
} as const;

export type Effective = Pick<
  DrainConfig,
  | "mode"
  | "schedule"
  | "fullEveryMs"
  | "minAgeMs"
  | "attempts"
  | "lane"
  | "limits"
  | "flowControl"
  | "onLoss"
  | "unknownOutcome"
  | "afterLedgerLoss"
  | "beforeExpiry"
  | "otherwise"
>;

/** Drain over `defaults` over built-in: mappings key by key, lists replaced. */
export function toEffective(defaults: CommonKeys, drain: CommonKeys): Effective {
  const attempts = { ...defined(defaults.attempts ?? {}), ...defined(drain.attempts ?? {}) };
  const { wait } = attempts;
  const limits = toLimits(defaults.limits, drain.limits);
  return {
    mode: drain.mode ?? defaults.mode ?? builtIn.mode,
    schedule: toSchedule([defaults.schedule, drain.schedule], builtIn.everyMs),
    fullEveryMs: drain.schedule?.full ?? defaults.schedule?.full ?? builtIn.fullEveryMs,
    minAgeMs: drain.minAge ?? defaults.minAge ?? builtIn.minAgeMs,
    attempts: {
      max: attempts.max ?? builtIn.attempts.max,
      waitMs: wait === undefined ? builtIn.attempts.waitMs : typeof wait === "number" ? [wait] : wait,
      then: attempts.then ?? builtIn.attempts.then,
    },
    ...toLane(defaults.lane, drain.lane, limits),
    limits,
    ...toDrainsFlowControl(defaults.flowControl, drain.flowControl),
    onLoss: drain.onLoss ?? defaults.onLoss ?? builtIn.onLoss,
    unknownOutcome: drain.unknownOutcome ?? defaults.unknownOutcome ?? builtIn.unknownOutcome,
    afterLedgerLoss: drain.afterLedgerLoss ?? defaults.afterLedgerLoss ?? builtIn.afterLedgerLoss,
    beforeExpiry: {
      withinMs: drain.beforeExpiry?.within ?? defaults.beforeExpiry?.within ?? builtIn.beforeExpiry.withinMs,
      then: drain.beforeExpiry?.then ?? defaults.beforeExpiry?.then ?? builtIn.beforeExpiry.then,
    },
    otherwise: drain.otherwise ?? defaults.otherwise ?? builtIn.otherwise,
  };
}

/** `none` takes away what lies below it, and what lies above it goes over the built-in values. */
function toLane(
  defaults: CommonKeys["lane"],
  drain: CommonKeys["lane"],
  limits: LimitsConfig,
): { readonly lane?: LaneConfig } {
  if (drain === null || (drain === undefined && defaults === null)) return {};
  const written = { ...defined(defaults ?? {}), ...defined(drain ?? {}) };
  const canary = written.canary ?? builtIn.lane.canary;
  const watchMs = written.watch ?? builtIn.lane.watchMs;
  const haltAt = written.haltAt ?? builtIn.lane.haltAt;
  const probeEveryMs = written.probeEvery ?? builtIn.lane.probeEveryMs;
  const openFrom = openFromOf({ canary, watchMs }, limits);
  return { lane: { canary, watchMs, haltAt, probeEveryMs, openFrom } };
}

/**
 * None if no layer has one, or the last takes it away. Whether the layers are whole together has been
 * checked.
 */
function toDrainsFlowControl(
  defaults: CommonKeys["flowControl"],
  drain: CommonKeys["flowControl"],
): Pick<DrainConfig, "flowControl"> {
  if (drain === null || (drain === undefined && (defaults ?? null) === null)) return {};
  const written = { ...defined(defaults ?? {}), ...defined(drain ?? {}) };
  return { flowControl: toFlowControl(written as FlowControlKeys) };
}

/** A limit that a layer takes away is absent. */
function toLimits(defaults: CommonKeys["limits"], drain: CommonKeys["limits"]): LimitsConfig {
  const merged = { ...builtIn.limits, ...defined(defaults ?? {}), ...defined(drain ?? {}) };
  const kept = Object.entries(merged).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as LimitsConfig;
}

/** `every` and `cron` replace each other from layer to layer; a timezone belongs to the cron pattern. */
export function toSchedule(
  layers: readonly (IndexKeys["schedule"] | undefined)[],
  everyMs: number,
): Schedule {
  let schedule = { kind: "every", everyMs } as Schedule;
  for (const layer of layers) {
    if (layer === undefined) continue;
    if (layer.every !== undefined) schedule = { kind: "every", everyMs: layer.every };
    if (layer.cron !== undefined) {
      const timezone: string | undefined =
        layer.timezone ?? (schedule.kind === "cron" ? schedule.timezone : undefined);
      schedule = { kind: "cron", pattern: layer.cron, ...(timezone === undefined ? {} : { timezone }) };
    } else if (layer.timezone !== undefined && schedule.kind === "cron") {
      schedule = { ...schedule, timezone: layer.timezone };
    }
  }
  return schedule;
}
