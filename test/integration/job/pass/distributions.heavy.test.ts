/**
 * Every distribution of entries over time, in both orders of the listing: each record is listed once or
 * hardly more, and published once, however many windows and pages are at work.
 */
import { expect, it } from "vitest";
import { useRedis } from "../../../support/redis.ts";
import { atOnce, createRig, minuteMs, ownWindows, type Rig, type RigOptions } from "../../../support/rig.ts";

const redis = useRedis();
const hourMs = 60 * minuteMs;

/** How long ago the record of this part of all (0 to 1) entered, ms. */
const distributions: Readonly<Record<string, (part: number) => number>> = {
  "evenly in a day": (part) => hourMs + part * 24 * hourMs,
  "at one moment": () => hourMs,
  "in the last minute, but for 1 %": (part) => hourMs + (part < 0.99 ? part * minuteMs : part * 48 * hourMs),
  "in the first minute, but for 1 %": (part) =>
    hourMs + (part < 0.01 ? part * 48 * hourMs : 40 * hourMs + part * minuteMs),
  "in bursts between empty stretches": (part) =>
    hourMs + Math.floor(part * 12) * 3 * hourMs + ((part * 12) % 1) * minuteMs,
};
const orders = ["earliestFirst", "latestFirst"] as const;
const cases = Object.keys(distributions).flatMap((name) => orders.map((order) => ({ name, order })));

function seed(rig: Rig, count: number, ageOf: (part: number) => number): void {
  const now = Date.now();
  const of = { url: `${rig.receiver.url}/hook`, responseStatus: 503 };
  rig.emulator.dlq.seed(
    Array.from({ length: count }, (_, index) => {
      const at = Math.floor(now - ageOf(index / count));
      return { ...of, dlqId: `${at}-${index}`, createdAt: at, body: `${index}` };
    }),
  );
}

async function createCountingRig(options: Omit<RigOptions, "redisUrl">) {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce, ...options });
  const { service } = rig.drain.source;
  const counted = { listed: 0 };
  const { list } = service;
  service.list = async (...call) => {
    const page = await list(...call);
    counted.listed += page.records.length;
    return page;
  };
  return { rig, counted };
}

it.each(cases)(
  "ten thousand records that are left in the queue entered $name, listed $order, are listed once",
  async ({ name, order }) => {
    // The product's windows, whatever the knobs: windows of a fifth of a page list much again.
    const options = { mode: "plan", emulator: { order }, ...ownWindows, windowsAtOnce: 4 } as const;
    const { rig, counted } = await createCountingRig(options);
    seed(rig, 10_000, distributions[name] ?? (() => 0));
    expect(await rig.pass()).toMatchObject({ outcome: "complete", tally: { listed: 10_000, due: 10_000 } });
    expect(counted.listed).toBeLessThanOrEqual(10_101);
    expect(rig.callsOf("list")).toBeLessThanOrEqual(120);
  },
);
