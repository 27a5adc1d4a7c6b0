import { describe, expect, test } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import { postHorizonMs } from "../../../../src/job/contracts/ledger-limits.ts";
import { mayBeForgotten } from "../../../../src/job/page/look-up.ts";
import { defaultLimits } from "../../../support/ledger-stands.ts";

const absent: LedgerView = { state: "absent" };
const lost = { at: 10_000_000, since: 9_900_000 };
const hitsUntil = lost.since + postHorizonMs(defaultLimits);
const after = { at: hitsUntil + 1, lost };
const before = { enteredAt: lost.at - 1 };

describe("a record may have been published and forgotten", () => {
  test("once its deduplication id may be forgotten too, and not while every publish of it would still be a hit", () => {
    expect(mayBeForgotten(before, absent, after, defaultLimits)).toBe(true);
    expect(mayBeForgotten(before, absent, { at: hitsUntil, lost }, defaultLimits)).toBe(false);
  });

  test("only where it was in the queue at the loss, give or take the clocks", () => {
    expect(mayBeForgotten({ enteredAt: lost.at + 59_999 }, absent, after, defaultLimits)).toBe(true);
    expect(mayBeForgotten({ enteredAt: lost.at + 60_000 }, absent, after, defaultLimits)).toBe(false);
  });

  test("also where what is remembered is older than the loss, and nobody has released it", () => {
    const cool = { state: "cool", dueAt: 0, refusedAlone: 1, attempt: 1, released: false } as const;
    const parked = { state: "parked", reason: "rule", attempt: 1, rulesHash: "h" } as const;
    const drain = "main" as DrainName;
    const older = lost.at - 1;
    expect(mayBeForgotten(before, { ...cool, firstAt: older }, after, defaultLimits)).toBe(true);
    expect(mayBeForgotten(before, { ...cool, firstAt: lost.at }, after, defaultLimits)).toBe(false);
    expect(mayBeForgotten(before, { ...parked, drain, firstAt: older }, after, defaultLimits)).toBe(true);
    expect(mayBeForgotten(before, { ...parked, drain, firstAt: lost.at }, after, defaultLimits)).toBe(false);
    const released = { ...cool, released: "by-person", firstAt: older } as const;
    expect(mayBeForgotten(before, released, after, defaultLimits)).toBe(false);
  });

  test("not where something is remembered of it, and never without a loss", () => {
    expect(mayBeForgotten(before, { state: "gone", at: after.at }, after, defaultLimits)).toBe(false);
    expect(mayBeForgotten(before, absent, { at: after.at }, defaultLimits)).toBe(false);
  });
});
