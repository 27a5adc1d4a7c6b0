import { expect, test } from "vitest";
import type { LiveCore } from "../../../../src/job/compose/live-core.ts";
import { createStandstillWatch, standstillAfterMs } from "../../../../src/job/daemon/watch-standstill.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const main = "main" as DrainName;
const minute = 60_000;

/** A drain with a schedule of a minute, so three of them are three minutes, and with due letters. */
function createStand() {
  const clock = createManualClock();
  const facts = { due: 5, openPass: { soFar: { pages: 1 } }, lastSuccessAt: 1, pace: {}, arrivals: 5 };
  const state = {
    facts,
    mode: "live",
    health: "usable",
    pauses: [] as object[],
    isFit: true,
    isAsked: true,
    reads: 0,
  };
  const config = () => ({
    name: main,
    mode: state.mode,
    paused: false,
    schedule: { kind: "every", everyMs: minute },
  });
  const runtime = {
    config: { id: "eu" },
    health: { standing: () => ({ state: state.health }) },
    passes: {
      async facts() {
        state.reads += 1;
        if (!state.isAsked) throw new RedriverError("redis-unavailable", "refused");
        return state.facts;
      },
    },
  };
  const core = () => ({
    drains: new Map([[main, { config: config(), source: runtime }]]),
    sources: new Map([["eu", { pauses: { all: async () => state.pauses } }]]),
  });
  const live = { current: core } as unknown as LiveCore;
  const watch = createStandstillWatch(
    live,
    clock,
    () => state.isFit,
    () => "window job: unexpected",
  );
  /** Looks each ten seconds for so many minutes. */
  const after = async (minutes: number): Promise<readonly string[]> => {
    for (let passed = 0; passed < minutes * minute; passed += 10_000) {
      clock.advance(10_000);
      await watch.look();
    }
    return watch.reasons();
  };
  return { clock, state, watch, after };
}

test("due letters, and no page for three schedules: it is told with the number and the last failure", async () => {
  const { watch, after } = createStand();
  await watch.look();
  expect(await after(2.8)).toEqual([]);
  expect(await after(0.4)).toEqual([
    expect.stringMatching(
      /^drain main stands still: 5 records are due, nothing holds it back, and no page has ended for (1[89]|20)\d s; the last failure: window job: unexpected/,
    ),
  ]);
});

test("it is over with the first page that ends, here or in another replica", async () => {
  const { watch, state, after } = createStand();
  await watch.look();
  expect(await after(4)).toHaveLength(1);
  watch.moved(main);
  expect(await after(1)).toEqual([]);
  expect(await after(3)).toHaveLength(1);
  state.facts = { ...state.facts, openPass: { soFar: { pages: 2 } } };
  expect(await after(0.2)).toEqual([]);
});

test.each([
  ["is in plan mode", { mode: "plan" }],
  ["has a source that is halted", { health: "halted" }],
  ["has a source that waits", { health: "waiting" }],
  ["is paused", { pauses: [{ drain: main, by: "a", reason: "b", at: 1 }] }],
  ["has a Redis that is not fit, which is told already", { isFit: false }],
])("a drain that %s does not stand still", async (_, change) => {
  const { watch, state, after } = createStand();
  Object.assign(state, change);
  await watch.look();
  expect(await after(10)).toEqual([]);
});

test("a drain whose due records nobody has listed stands still too", async () => {
  const { watch, state, after } = createStand();
  state.facts = { ...state.facts, due: 0 };
  await watch.look();
  expect(await after(4)).toEqual([expect.stringContaining("nobody looks for due records")]);
});

test("a Redis that does not say what the drain does shows no page of it either", async () => {
  const { watch, state, after } = createStand();
  state.isAsked = false;
  await watch.look();
  expect(await after(4)).toEqual([expect.stringContaining("the last failure: window job: unexpected")]);
  state.isAsked = true;
  expect(await after(0.2)).toEqual([]);
});

test("it takes a minute and a half at least, and a cron pattern three days", () => {
  expect(standstillAfterMs({ kind: "every", everyMs: 1_000 })).toBe(90_000);
  expect(standstillAfterMs({ kind: "every", everyMs: 10 * minute })).toBe(30 * minute);
  expect(standstillAfterMs({ kind: "cron", pattern: "0 * * * *" })).toBe(3 * 24 * 60 * minute);
});
