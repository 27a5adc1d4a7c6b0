import { describe, expect, test } from "vitest";
import type { Core } from "../../src/compose/build-core.ts";
import { createWakes } from "../../src/daemon/wakes.ts";
import type { DrainName, SourceId } from "../../src/ports/ids.ts";
import { emptyTally } from "../../src/ports/tally.ts";
import type { DrainRuntime, SourceRuntime } from "../../src/redrive/runtime.ts";
import type { Health } from "../../src/redrive/source-health.ts";
import { createManualClock } from "../support/manual-clock.ts";

const start = 1_700_000_000_000;
const afterRestMs = 250;
const notSent = { ...emptyTally, reasons: { ...emptyTally.reasons, due: { "not-sent": 3 } } };
const usable: Health = { state: "usable" };

function stand(standing: Partial<Record<"dlq" | "batch", Health>> = {}) {
  const asked: string[] = [];
  let losses = 0;
  const wakes = createWakes({
    addTick: (drain, at) => Promise.resolve(void asked.push(`tick ${drain} +${at - start}`)),
    addSweep: (source, at) => Promise.resolve(void asked.push(`sweep ${source} +${at - start}`)),
  });
  const source = {
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
  return { asked, wakes, drain, core, lose: () => void (losses += 1) };
}

describe("a pass that ends", () => {
  test.each<[string, Health, typeof notSent | typeof emptyTally, readonly string[]]>([
    ["with all done", usable, emptyTally, []],
    [
      "while batches rest, with something not sent",
      { state: "waiting", until: start + 9_000 },
      notSent,
      [`tick orders +${9_000 + afterRestMs}`],
    ],
    [
      "while batches rest, with nothing left for them",
      { state: "waiting", until: start + 9_000 },
      emptyTally,
      [],
    ],
    ["after a rest, with something that it had left out", usable, notSent, [`tick orders +${afterRestMs}`]],
    [
      "with publishing halted",
      { state: "halted", callClass: "batch", code: "unauthorised", message: "", since: 0 },
      notSent,
      [],
    ],
  ])("%s", async (_name, batch, tally, expected) => {
    const { wakes, drain, asked } = stand({ batch });
    await wakes.closed(drain, tally);
    expect(asked).toEqual(expected);
  });
});

test("deletes that rest are swept for when the rest is over", async () => {
  const { wakes, drain, asked } = stand({ dlq: { state: "waiting", until: start + 2_000 } });
  await wakes.afterDeletes(drain.source);
  expect(asked).toEqual([`sweep eu +${2_000 + afterRestMs}`]);
});

describe("a loss that was noticed", () => {
  test("makes each drain of that source tick at once, once", async () => {
    const { wakes, core, lose, asked } = stand();
    await wakes.afterLosses(core);
    expect(asked).toEqual([]);
    lose();
    await wakes.afterLosses(core);
    await wakes.afterLosses(core);
    expect(asked).toEqual(["tick orders +0"]);
  });

  test("is owed a pass until one has opened: one that was open as it was noticed does not count", async () => {
    const { wakes, core, drain, lose, asked } = stand();
    lose();
    await wakes.afterLosses(core);
    await wakes.closed(drain, emptyTally);
    wakes.opened(drain.config.name);
    await wakes.closed(drain, emptyTally);
    expect(asked).toEqual(["tick orders +0", "tick orders +0"]);
  });
});
