/** What redriver is held to (docs/internals/benchmarks.md). Each line measures what it needs. */
import { shipped } from "../../memory/manifest.ts";
import { mostOfLimit } from "../../memory/table.ts";
import { atLeast, atMost, shown, type Figure } from "../../rig/figures.ts";
import { distributions, orders } from "../service/records.ts";
import { plainCase } from "../stand/case.ts";
import { measureIdle } from "../stand/measure.ts";
import {
  callsPer100,
  cpuPerMessage,
  limitUsed,
  listedPerRecord,
  messagesPerSecond,
  redisBytesPerMessage,
  redisCpuPerMessage,
  shareRefused,
  tripsPer100,
} from "./ratios.ts";
import { beside } from "./beside.ts";
import type { Changes, World } from "./world.ts";

export type Line = (world: World) => Promise<readonly Figure[]>;

const far = 25;
/** Its rate does not depend on how many there are, only on the latency. */
const loopFar: Changes = { contender: "loop", latencyMs: far, messages: 5_000 };

async function cpu({ measure }: World): Promise<readonly Figure[]> {
  const floor = await measure({ contender: "floor" });
  const loop = await measure({ contender: "loop" });
  const run = await measure({ contender: "run" });
  return [
    atMost("CPU of the daemon per message, times the floor", cpuPerMessage(run) / cpuPerMessage(floor), 2.4),
    atMost("CPU of the daemon per message, times the loop", cpuPerMessage(run) / cpuPerMessage(loop), 1),
    shown(
      "µs: daemon, loop, floor",
      [run, loop, floor].map((one) => cpuPerMessage(one).toFixed(0)).join(", "),
    ),
  ];
}

async function drain({ measure }: World): Promise<readonly Figure[]> {
  const floor = await measure({ contender: "floor" });
  const loop = await measure({ contender: "loop" });
  const drain = await measure({ contender: "drain" });
  return [
    shown("CPU of `drain` per message, times the floor", times(cpuPerMessage(drain) / cpuPerMessage(floor))),
    shown("messages/s of `drain`, times the loop", times(messagesPerSecond(drain) / messagesPerSecond(loop))),
  ];
}

async function near({ measure }: World): Promise<readonly Figure[]> {
  const loop = await measure({ contender: "loop" });
  const run = await measure({ contender: "run" });
  const ratio = messagesPerSecond(run) / messagesPerSecond(loop);
  return [atLeast("messages/s at 0 ms, times the loop", ratio, 1.25)];
}

async function distant({ measure }: World): Promise<readonly Figure[]> {
  const loop = await measure(loopFar);
  const run = await measure({ contender: "run", latencyMs: far });
  const parallel = run.service.maxInFlight;
  const floor = await measure({ contender: "floor", latencyMs: far, parallel });
  const speed = messagesPerSecond(run);
  return [
    atLeast("messages/s at 25 ms, times the loop", speed / messagesPerSecond(loop), 8),
    atLeast(
      `messages/s at 25 ms, times the floor with ${parallel} in flight`,
      speed / messagesPerSecond(floor),
      0.7,
    ),
  ];
}

async function small({ measure }: World): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const messages of [2_000, 10_000]) {
    for (const latencyMs of [0, far]) {
      const loop = await measure(latencyMs === 0 ? { contender: "loop", messages } : loopFar);
      const run = await measure({ contender: "run", messages, latencyMs });
      const ratio = messagesPerSecond(run) / messagesPerSecond(loop);
      const least = latencyMs === far && messages === 10_000 ? 4 : 1;
      figures.push(
        atLeast(`${messages} messages at ${latencyMs} ms: messages/s, times the loop`, ratio, least),
      );
    }
  }
  return figures;
}

async function calls({ measure }: World): Promise<readonly Figure[]> {
  const deep = await measure({ contender: "run" });
  const some = await measure({ contender: "run", messages: 10_000 });
  return [
    atMost("calls per 100 messages, deep queue", callsPer100(deep), 3.1),
    atMost("calls per 100 messages, 10,000 records", callsPer100(some), 3.3),
  ];
}

async function listed({ measure }: World): Promise<readonly Figure[]> {
  return [atMost("records listed per record", listedPerRecord(await measure({ contender: "run" })), 1.02)];
}

async function distributed({ measure }: World): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const distribution of distributions) {
    for (const order of orders) {
      const run = await measure({ contender: "run", messages: 20_000, distribution, order });
      figures.push(
        atMost(`${distribution}, ${order}: records listed per record`, listedPerRecord(run), 1.02),
      );
    }
  }
  return figures;
}

async function redis({ measure }: World): Promise<readonly Figure[]> {
  const run = await measure({ contender: "run" });
  return [
    atMost("Redis round trips per 100 messages", tripsPer100(run), 5),
    atMost("Redis CPU per message, µs", redisCpuPerMessage(run), 15),
    atMost("bytes sent to Redis per message", redisBytesPerMessage(run), 130),
  ];
}

/** Each replica works on one window at a time, and is then far from what its core can do. */
async function replicas({ measure }: World): Promise<readonly Figure[]> {
  const fixed: Changes = { contender: "run", latencyMs: far, env: fixedConcurrency };
  const one = await measure(fixed);
  const two = await measure({ ...fixed, replicas: 2 });
  const ratio = messagesPerSecond(two) / messagesPerSecond(one);
  return [
    atLeast("two replicas, times one, 25 ms, concurrency fixed", ratio, 1.8),
    shown("calls in flight: one, two", `${one.service.maxInFlight}, ${two.service.maxInFlight}`),
  ];
}

const fixedConcurrency = { REDRIVER_WINDOWS_CONCURRENCY: "1" };

async function limit({ measure }: World): Promise<readonly Figure[]> {
  const run = await measure({ contender: "run", replicas: 4, callsPerSecond: 50 });
  return [
    atLeast("50 DLQ calls/s, 4 replicas: % of the limit used", 100 * limitUsed(run), 95),
    atMost("50 DLQ calls/s, 4 replicas: % of calls answered 429", 100 * shareRefused(run), 1),
  ];
}

async function idle({ stand, common }: World): Promise<readonly Figure[]> {
  const share = await measureIdle(
    stand,
    {
      ...plainCase,
      ...common,
      contender: "run",
      messages: 0,
      drain: { schedule: "{ every: 30s, full: 30m }" },
    },
    60_000,
  );
  return [atMost("idle daemon, empty queue: % of a core", 100 * share, 0.5)];
}

async function memory({ measure }: World): Promise<readonly Figure[]> {
  const { limitBytes } = shipped;
  const some = await measure({ contender: "run", messages: 10_000 });
  const large = await measure({ contender: "run", messages: 500, bodyBytes: 1_000_000 });
  const share = (one: { readonly peakBytes: number }): number => (100 * one.peakBytes) / limitBytes;
  return [
    atMost("peak RSS of 10,000 messages, % of the shipped limit", share(some), 100 * mostOfLimit),
    atMost(
      "peak RSS of pages with 100 records of 1 MB, % of the shipped limit",
      share(large),
      100 * mostOfLimit,
    ),
  ];
}

async function million({ measure }: World): Promise<readonly Figure[]> {
  const { limitBytes } = shipped;
  const some = await measure({ contender: "run", messages: 10_000 });
  const all = await measure({ contender: "run", messages: 1_000_000 });
  return [
    atMost("1,000,000 to empty: seconds", all.wallMs / 1_000, 75),
    atMost("1,000,000: peak RSS, times that of 10,000", all.peakBytes / some.peakBytes, 1.2),
    atMost(
      "1,000,000: peak RSS, % of the shipped limit",
      (100 * all.peakBytes) / limitBytes,
      100 * mostOfLimit,
    ),
    shown("1,000,000: peak RSS", `${(all.peakBytes / 1e6).toFixed(0)} MB`),
    shown("1,000,000: memory of Redis at the end", `${((all.redis?.memoryBytes ?? 0) / 1e6).toFixed(0)} MB`),
  ];
}

const times = (ratio: number): string => ratio.toFixed(2);

export const lines = {
  cpu,
  drain,
  near,
  distant,
  small,
  calls,
  listed,
  distributed,
  redis,
  replicas,
  limit,
  idle,
  beside,
  memory,
  million,
} as const satisfies Readonly<Record<string, Line>>;

export type LineName = keyof typeof lines;
export const lineNames = Object.keys(lines) as readonly LineName[];

/** Those that fit into a minute and a half, with fewer messages. */
export const quickLines: readonly LineName[] = [
  "cpu",
  "drain",
  "near",
  "distant",
  "calls",
  "listed",
  "redis",
];
export const quickMessages = 5_000;
