import { expect, test } from "vitest";
import type { Ledger } from "../../../../src/job/contracts/ledger.ts";
import { createLedgerTime } from "../../../../src/job/source/ledger-time.ts";
import { defaultLimits } from "../../../support/ledger-stands.ts";

/** Asks the ledger at 1,000, and again after `mono` ms, in which the time of day went on by `wall`. */
async function timeAfter(mono: number, wall: number, maxPageAgeMs = defaultLimits.maxPageAgeMs) {
  const passed = { mono: 0, wall: 0 };
  let at = 1_000;
  const time = createLedgerTime({ monotonic: () => passed.mono, now: () => passed.wall });
  const ledger = {
    limits: { ...defaultLimits, maxPageAgeMs },
    now: () => Promise.resolve({ epoch: "one", sequence: 0, at }),
  } as Partial<Ledger> as Ledger;
  time.learn(await ledger.now());
  Object.assign(passed, { mono, wall });
  at = 2_000_000;
  return time.fromBeforeNow(ledger);
}

test("the time of the last answer is enough for a few seconds, never a younger one", async () => {
  expect(await timeAfter(5_000, 5_000)).toBe(1_000);
});

test.each([
  ["it is older", 5_001, 5_001],
  ["the time of day jumped", 10, 600_000],
  ["the time of day was set back", 10, -600_000],
])("the ledger is asked if %s", async (_why, mono, wall) => {
  expect(await timeAfter(mono, wall)).toBe(2_000_000);
});

test("the ledger is asked sooner if pages live shortly", async () => {
  expect(await timeAfter(100, 100, 1_000)).toBe(1_000);
  expect(await timeAfter(101, 101, 1_000)).toBe(2_000_000);
});
