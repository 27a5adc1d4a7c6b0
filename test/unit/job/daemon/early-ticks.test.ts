import { describe, expect, test } from "vitest";
import type { Core } from "../../../../src/job/compose/build-core.ts";
import { createEarlyTicks } from "../../../../src/job/daemon/early-ticks.ts";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import { emptyTally } from "../../../../src/job/contracts/tally.ts";
import type { DrainRuntime, SourceRuntime } from "../../../../src/job/runtime.ts";
import type { Health } from "../../../../src/job/source/source-health.ts";
import type { DrainConfig } from "../../../../src/job/contracts/drains-document.ts";
import { createSweepRequest } from "../../../../src/job/sweep/sweep-request.ts";
import { createSourceHealth } from "../../../../src/job/source/source-health.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const start = 1_700_000_000_000;
const afterRestMs = 250;
const notSent = { ...emptyTally, reasons: { ...emptyTally.reasons, due: { "not-sent": 3 } } };
const done = { outcome: "complete", tally: emptyTally } as const;
const partial = { outcome: "partial", tally: emptyTally } as const;
const usable: Health = { state: "usable" };

function stand(standing: Partial<Record<"dlq" | "batch", Health>> = {}) {
  const asked: string[] = [];
  let losses = 0;
  const earlyTicks = createEarlyTicks({
    addTick: (drain, at) => Promise.resolve(void asked.push(`tick ${drain} +${at - start}`)),
    addSweep: (source, at) => Promise.resolve(void asked.push(`sweep ${source} +${at - start}`)),
  });
  const sweepRequest = createSweepRequest();
  const source = {
    sweepRequest,
    clock: createManualClock(start),
    config: { id: "eu" as SourceId },
    health: { current: (callClass: "dlq" | "batch" = "dlq") => standing[callClass] ?? usable },
  } as unknown as SourceRuntime;
  const drain = { config: { name: "orders" as DrainName }, source } as DrainRuntime;
  const core = {
    sources: new Map([["eu", { runtime: source, losses: () => losses }]]),
    drains: new Map([
      ["orders", drain],
      ["elsewhere", { ...drain, source: { ...source } }],
    ]),
  } as unknown as Core;
  return { asked, sweepRequest, earlyTicks, drain, core, lose: () => void (losses += 1) };
}

describe("a pass that ends", () => {
  const rests: Health = { state: "waiting", until: start + 9_000 };
  const halt = { callClass: "batch", code: "unauthorised", message: "", since: 0 } as const;
  const halted: Health = { state: "halted", ...halt, onTrial: false, failedTrials: 0 };
  test.each<[string, Health, typeof notSent | typeof emptyTally, readonly string[]]>([
    ["with all done", usable, emptyTally, []],
    ["while batches rest, with something not sent", rests, notSent, [`tick orders +${9_000 + afterRestMs}`]],
    ["while batches rest, with nothing left for them", rests, emptyTally, []],
    ["after a rest, with something that it had left out", usable, notSent, [`tick orders +${afterRestMs}`]],
    ["with publishing halted", halted, notSent, []],
  ])("%s", async (_name, batch, tally, expected) => {
    const { earlyTicks, drain, asked } = stand({ batch });
    await earlyTicks.closed(drain, { outcome: "complete", tally });
    expect(asked).toEqual(expected);
  });
});

test("deletes that rest are swept for when the rest is over", async () => {
  const { earlyTicks, drain, asked } = stand({ dlq: { state: "waiting", until: start + 2_000 } });
  await earlyTicks.afterDeletes(drain.source);
  expect(asked).toEqual([`sweep eu +${2_000 + afterRestMs}`]);
});

test("deletes that a page has left are swept for so soon, once", async () => {
  const { earlyTicks, drain, asked, sweepRequest } = stand();
  sweepRequest.within(1_000);
  sweepRequest.within(5_000);
  await earlyTicks.afterDeletes(drain.source);
  await earlyTicks.afterDeletes(drain.source);
  expect(asked).toEqual(["sweep eu +1000"]);
});

describe("a loss that was noticed", () => {
  test("makes each drain of that source tick at once, once", async () => {
    const { earlyTicks, core, lose, asked } = stand();
    await earlyTicks.afterLosses(core);
    expect(asked).toEqual([]);
    lose();
    await earlyTicks.afterLosses(core);
    await earlyTicks.afterLosses(core);
    expect(asked).toEqual(["tick orders +0"]);
  });

  test("is owed a pass until one has opened: one that was open as it was noticed does not count", async () => {
    const { earlyTicks, core, drain, lose, asked } = stand();
    lose();
    await earlyTicks.afterLosses(core);
    await earlyTicks.closed(drain, done);
    earlyTicks.opened(drain.config.name);
    await earlyTicks.closed(drain, done);
    expect(asked).toEqual(["tick orders +0", "tick orders +0"]);
  });
});

/** Two drains of a source that can be halted; its clock is the test's. */
function haltStand(schedule: DrainConfig["schedule"] = { kind: "every", everyMs: 60 * 60_000 }) {
  const clock = createManualClock(start);
  const asked: string[] = [];
  const earlyTicks = createEarlyTicks({
    addTick: (drain, at) => Promise.resolve(void asked.push(`${drain} +${at - start}`)),
    addSweep: () => Promise.resolve(),
  });
  let leftMs = 0;
  const pauses = { leftMs: () => leftMs, isFailing: () => false, takeRetry: () => false };
  const health = createSourceHealth("eu" as SourceId, clock, { emit: () => undefined }, pauses);
  const source = { clock, config: { id: "eu" as SourceId }, health } as unknown as SourceRuntime;
  const drainOf = (name: string) =>
    ({ config: { name: name as DrainName, schedule }, source }) as DrainRuntime;
  const orders = drainOf("orders");
  const invoices = drainOf("invoices");
  const core = { drains: new Map([orders, invoices].map((drain) => [drain.config.name, drain])) };
  const rest = (ms: number) => void (leftMs = ms);
  return { clock, asked, earlyTicks, health, core, orders, invoices, rest };
}

describe("a halt that ends", () => {
  const coolMs = 5_000;

  test("ticks each drain that it held, once, and no other", async () => {
    const { earlyTicks, health, core, orders, asked, clock } = haltStand();
    health.halt("unauthorised", "401");
    earlyTicks.heldByHalt(orders, "dlq");
    earlyTicks.heldByHalt(orders, "dlq");
    await earlyTicks.afterHalts(core);
    clock.advance(60_000);
    await earlyTicks.afterHalts(core);
    expect(asked).toEqual([]);
    health.resume("dlq");
    await earlyTicks.afterHalts(core);
    await earlyTicks.afterHalts(core);
    expect(asked).toEqual(["orders +60000"]);
  });

  test("is owed a pass that opens after it: one that is open may have come by already", async () => {
    const { earlyTicks, health, core, orders, asked } = haltStand();
    earlyTicks.heldByHalt(orders, "dlq");
    await earlyTicks.afterHalts(core);
    await earlyTicks.closed(orders, done);
    earlyTicks.opened(orders.config.name);
    await earlyTicks.closed(orders, done);
    expect(asked).toEqual(["orders +0", "orders +0"]);
    expect(health.standing()).toEqual(usable);
  });

  test("ticks when the rest is over, where the source rests then", async () => {
    const { earlyTicks, core, orders, asked, rest } = haltStand();
    earlyTicks.heldByHalt(orders, "dlq");
    rest(9_000);
    await earlyTicks.afterHalts(core);
    expect(asked).toEqual([`orders +${9_000 + afterRestMs}`]);
  });

  test("ticks a drain whose tick was skipped when the listing is answered, whatever becomes of publishing", async () => {
    const { earlyTicks, health, core, orders, invoices, asked } = haltStand();
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
    const { earlyTicks, health, core, orders, invoices, asked, clock } = haltStand();
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
    expect(asked).toEqual(["orders +30000", "invoices +30000", `invoices +${30_000 + coolMs}`]);
  });

  test("is waited for by what a rest had held before it", async () => {
    const { earlyTicks, health, core, orders, asked, clock } = haltStand();
    health.halt("unauthorised", "403", "batch");
    await earlyTicks.closed(orders, { outcome: "complete", tally: notSent });
    expect(asked).toEqual([]);
    clock.advance(60_000);
    health.resume("batch");
    await earlyTicks.afterHalts(core);
    expect(asked).toEqual(["orders +60000"]);
  });

  test("leaves a drain that the document has no more", async () => {
    const { earlyTicks, orders, asked } = haltStand();
    earlyTicks.heldByHalt(orders, "dlq");
    await earlyTicks.afterHalts({ drains: new Map() });
    expect(asked).toEqual([]);
  });
});

/** The waits between failures that come right when they are waited for. */
async function waitsOf(stand: ReturnType<typeof haltStand>, failures: number): Promise<readonly number[]> {
  const { earlyTicks, orders, asked, clock } = stand;
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
  const minuteMs = 60_000;

  test.each<[string, DrainConfig["schedule"], readonly number[]]>([
    ["an hour", { kind: "every", everyMs: 60 * minuteMs }, [0.5, 1, 2, 4, 8, 10, 10]],
    ["a cron pattern", { kind: "cron", pattern: "0 * * * *" }, [0.5, 1, 2, 4, 8, 10, 10]],
    ["three minutes, which come by themselves", { kind: "every", everyMs: 3 * minuteMs }, [0.5, 1, 2]],
    ["ten seconds, which come by themselves", { kind: "every", everyMs: 10_000 }, []],
  ])("is asked again ever more rarely by a drain of %s", async (_name, schedule, minutes) => {
    expect(await waitsOf(haltStand(schedule), 7)).toEqual(minutes.map((one) => one * minuteMs));
  });

  test("is waited for by one tick, however many windows fail", async () => {
    const { earlyTicks, orders, asked, clock } = haltStand();
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

  test("is waited for from the beginning after a pass that was complete", async () => {
    const stand = haltStand();
    await waitsOf(stand, 5);
    await stand.earlyTicks.closed(stand.orders, done);
    expect(await waitsOf(stand, 2)).toEqual([0.5 * minuteMs, minuteMs]);
  });

  test("is not waited for by a pass that is partial for another reason", async () => {
    const { earlyTicks, orders, asked } = haltStand();
    await earlyTicks.closed(orders, partial);
    expect(asked).toEqual([]);
  });

  test("is not asked before its rest is over", async () => {
    const { earlyTicks, orders, asked, rest } = haltStand();
    rest(40_000);
    await earlyTicks.unanswered(orders);
    expect(asked).toEqual([`orders +${40_000 + afterRestMs}`]);
  });
});

/** `ready` and `next` are told once, as lanes tell them. */
function laneStand(mode: "live" | "plan", ready: string[], next: number[] = []) {
  const { asked, earlyTicks, drain, core } = stand();
  const config = { ...drain.config, mode } as DrainConfig;
  const lanes = { takeReady: () => ready.splice(0), takeNext: () => next.splice(0) };
  const source = { ...drain.source, lanes } as unknown as SourceRuntime;
  const orders = { config, source } as DrainRuntime;
  const ofLanes = {
    ...core,
    sources: new Map([["eu", { runtime: source }]]),
    drains: new Map([["orders", orders]]),
  } as unknown as Core;
  return { asked, earlyTicks, drain: orders, core: ofLanes };
}

describe("lanes that can go on", () => {
  test("make their drain tick at once, whatever its schedule, and again when a pass that was open has ended", async () => {
    const { asked, earlyTicks, drain, core } = laneStand("live", ["orders"]);
    await earlyTicks.afterLanes(core);
    await earlyTicks.afterLanes(core);
    expect(asked).toEqual(["tick orders +0"]);
    await earlyTicks.closed(drain, done);
    expect(asked).toEqual(["tick orders +0", "tick orders +0"]);
    earlyTicks.opened("orders" as DrainName);
    await earlyTicks.closed(drain, done);
    expect(asked).toHaveLength(2);
  });

  test("have their source swept when they want something next", async () => {
    const { asked, earlyTicks, core } = laneStand("live", [], [start + 2_250, start + 10_250]);
    await earlyTicks.afterLanes(core);
    expect(asked).toEqual(["sweep eu +2250", "sweep eu +10250"]);
  });

  test("wake no drain that only plans, nor one that is no more", async () => {
    const { asked, earlyTicks, core } = laneStand("plan", ["orders", "gone"]);
    await earlyTicks.afterLanes(core);
    expect(asked).toEqual([]);
  });
});
