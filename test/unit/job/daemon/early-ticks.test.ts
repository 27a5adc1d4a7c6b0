import { describe, expect, test } from "vitest";
import type { Core } from "../../../../src/job/compose/build-core.ts";
import { createEarlyTicks } from "../../../../src/job/daemon/early-ticks.ts";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import { emptyTally } from "../../../../src/job/contracts/tally.ts";
import type { DrainRuntime, SourceRuntime } from "../../../../src/job/runtime.ts";
import type { DrainConfig } from "../../../../src/job/contracts/drains-document.ts";
import { createSourceHealth } from "../../../../src/job/source/source-health.ts";
import { createSweepRequest } from "../../../../src/job/sweep/sweep-request.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const start = 1_700_000_000_000;
const minuteMs = 60_000;
const afterRestMs = 250;
const coolMs = 5_000;
const notSent = { ...emptyTally, reasons: { ...emptyTally.reasons, due: { "not-sent": 3 } } };
const done = { outcome: "complete", tally: emptyTally } as const;
const partial = { outcome: "partial", tally: emptyTally } as const;

/** Two drains of a source, and one of another; the clock is the test's. `ready` and `next` are told once, as lanes tell them. */
function stand(schedule: DrainConfig["schedule"] = { kind: "every", everyMs: 60 * minuteMs }) {
  const clock = createManualClock(start);
  const asked: string[] = [];
  const earlyTicks = createEarlyTicks({
    addTick: (drain, at) => Promise.resolve(void asked.push(`${drain} +${at - start}`)),
    addSweep: (source, at) => Promise.resolve(void asked.push(`sweep ${source} +${at - start}`)),
  });
  const state = { restMs: 0, losses: 0, ready: [] as string[], next: [] as number[] };
  const pauses = { leftMs: () => state.restMs, isFailing: () => false, takeRetry: () => false };
  const source = {
    clock,
    config: { id: "eu" as SourceId },
    health: createSourceHealth("eu" as SourceId, clock, { emit: () => undefined }, pauses),
    sweepRequest: createSweepRequest(),
    lanes: { takeReady: () => state.ready.splice(0), takeNext: () => state.next.splice(0) },
  } as unknown as SourceRuntime;
  const drainOf = (name: string, mode: string, of = source) =>
    ({ config: { name: name as DrainName, schedule, mode }, source: of }) as DrainRuntime;
  const orders = drainOf("orders", "live");
  const invoices = drainOf("invoices", "plan");
  const drains = [orders, invoices, drainOf("elsewhere", "live", { ...source })];
  const core = {
    sources: new Map([["eu", { runtime: source, losses: () => state.losses }]]),
    drains: new Map(drains.map((drain) => [drain.config.name, drain])),
  } as unknown as Core;
  return { clock, asked, earlyTicks, source, health: source.health, core, orders, invoices, state };
}

test.each([
  ["with all done", 0, emptyTally, []],
  ["while batches rest, with something not sent", 9_000, notSent, [`orders +${9_000 + afterRestMs}`]],
  ["while batches rest, with nothing left for them", 9_000, emptyTally, []],
  ["after a rest, with something that it had left out", 0, notSent, [`orders +${afterRestMs}`]],
])("a pass that ends %s", async (_name, restMs, tally, expected) => {
  const { earlyTicks, orders, asked, state } = stand();
  state.restMs = restMs;
  await earlyTicks.closed(orders, { outcome: "complete", tally });
  expect(asked).toEqual(expected);
});

test("deletes that rest are swept for when the rest is over", async () => {
  const { earlyTicks, source, asked, state } = stand();
  state.restMs = 2_000;
  await earlyTicks.afterDeletes(source);
  expect(asked).toEqual([`sweep eu +${2_000 + afterRestMs}`]);
});

test("a loss makes each drain of that source tick at once, and again after a pass that was open", async () => {
  const { earlyTicks, core, orders, state, asked } = stand();
  await earlyTicks.afterLosses(core);
  expect(asked).toEqual([]);
  state.losses += 1;
  await earlyTicks.afterLosses(core);
  await earlyTicks.afterLosses(core);
  expect(asked).toEqual(["orders +0", "invoices +0"]);
  await earlyTicks.closed(orders, done);
  expect(asked.splice(2)).toEqual(["orders +0"]);
  earlyTicks.opened(orders.config.name);
  await earlyTicks.closed(orders, done);
  expect(asked).toHaveLength(2);
});

describe("a halt that ends", () => {
  test("ticks when the rest is over, where the source rests then", async () => {
    const { earlyTicks, core, orders, asked, state } = stand();
    earlyTicks.heldByHalt(orders, "dlq");
    state.restMs = 9_000;
    await earlyTicks.afterHalts(core);
    expect(asked).toEqual([`orders +${9_000 + afterRestMs}`]);
  });

  test("ticks a drain whose tick was skipped when the listing is answered, whatever becomes of publishing", async () => {
    const { earlyTicks, health, core, orders, invoices, asked } = stand();
    health.halt("unauthorised", "403", "batch");
    health.halt("unauthorised", "401");
    earlyTicks.heldByHalt(orders, "dlq");
    earlyTicks.heldByHalt(orders, "batch");
    earlyTicks.heldByHalt(invoices, "batch");
    health.resume("dlq");
    await earlyTicks.afterHalts(core);
    expect(asked).toEqual([`orders +${coolMs}`]);
  });

  test("of publishing ticks once for a trial, however often that turns somebody away, and again when it has ended", async () => {
    const { earlyTicks, health, core, orders, invoices, asked, clock } = stand();
    health.halt("answer-unreadable", "not JSON", "batch");
    earlyTicks.heldByHalt(orders, "batch");
    earlyTicks.heldByHalt(invoices, "batch");
    clock.advance(30_000);
    health.tryPublishing();
    for (let round = 0; round < 3; round += 1) {
      await earlyTicks.afterHalts(core);
      earlyTicks.heldByHalt(invoices, "batch");
    }
    expect(asked).toEqual(["orders +30000", "invoices +30000"]);
    health.batchAnswered("some-accepted");
    await earlyTicks.afterHalts(core);
    expect(asked.slice(2)).toEqual([`invoices +${30_000 + coolMs}`]);
  });

  test("is waited for by what a rest had held before it", async () => {
    const { earlyTicks, health, core, orders, asked, clock } = stand();
    health.halt("unauthorised", "403", "batch");
    await earlyTicks.closed(orders, { outcome: "complete", tally: notSent });
    expect(asked).toEqual([]);
    clock.advance(minuteMs);
    health.resume("batch");
    await earlyTicks.afterHalts(core);
    expect(asked).toEqual(["orders +60000"]);
  });
});

/** The waits between failures that come right when they are waited for. */
async function waitsOf(on: ReturnType<typeof stand>, failures: number): Promise<readonly number[]> {
  const { earlyTicks, orders, asked, clock } = on;
  const waits: number[] = [];
  for (let failure = 0; failure < failures; failure += 1) {
    const before = asked.length;
    await earlyTicks.unanswered(orders);
    await earlyTicks.closed(orders, partial);
    expect(asked.length).toBeLessThanOrEqual(before + 1);
    if (asked.length === before) break;
    const waitMs = Number(asked.at(-1)?.split("+")[1]) - (clock.now() - start);
    waits.push(waitMs);
    clock.advance(waitMs);
    earlyTicks.opened(orders.config.name);
  }
  return waits;
}

describe("a source that did not answer", () => {
  test.each<[string, DrainConfig["schedule"], readonly number[]]>([
    ["a cron pattern", { kind: "cron", pattern: "0 * * * *" }, [0.5, 1, 2, 4, 8, 10, 10]],
    ["three minutes, which come by themselves", { kind: "every", everyMs: 3 * minuteMs }, [0.5, 1, 2]],
    ["ten seconds, which come by themselves", { kind: "every", everyMs: 10_000 }, []],
  ])("is asked again ever more rarely by a drain of %s", async (_name, schedule, minutes) => {
    expect(await waitsOf(stand(schedule), 7)).toEqual(minutes.map((one) => one * minuteMs));
  });

  test("is waited for by one tick, however many windows fail", async () => {
    const { earlyTicks, orders, asked, clock } = stand();
    for (let window = 0; window < 5; window += 1) {
      await earlyTicks.unanswered(orders);
      clock.advance(5_000);
    }
    expect(asked).toEqual(["orders +30000"]);
    // Some of its pass is worked still when that comes, and finds it open.
    clock.advance(30_000);
    await earlyTicks.closed(orders, partial);
    expect(asked).toEqual(["orders +30000", `orders +${55_000 + 60_000}`]);
  });

  test("is waited for from the beginning after a pass that was complete, and by no pass that met its answers", async () => {
    const on = stand();
    await waitsOf(on, 5);
    await on.earlyTicks.closed(on.orders, done);
    const before = on.asked.length;
    await on.earlyTicks.closed(on.orders, partial);
    expect(on.asked).toHaveLength(before);
    expect(await waitsOf(on, 2)).toEqual([0.5 * minuteMs, minuteMs]);
  });

  test("is not asked before its rest is over", async () => {
    const { earlyTicks, orders, asked, state } = stand();
    state.restMs = 40_000;
    await earlyTicks.unanswered(orders);
    expect(asked).toEqual([`orders +${40_000 + afterRestMs}`]);
  });
});

test("lanes that can go on make their drain tick at once if it is live and there, and their source is swept for the others", async () => {
  const { asked, earlyTicks, core, state } = stand();
  state.ready = ["orders", "invoices", "gone"];
  state.next = [start + 2_250, start + 10_250];
  await earlyTicks.afterLanes(core);
  await earlyTicks.afterLanes(core);
  expect(asked).toEqual(["sweep eu +2250", "sweep eu +10250", "orders +0"]);
});
