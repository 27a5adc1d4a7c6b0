import { describe, expect, it } from "vitest";
import { toCeilingText, toClockText, toGuardText } from "../../../../../src/people/cli/plan/limits-text.ts";
import type { Estimate } from "../../../../../src/people/plan/estimate.ts";

const hour = 3_600_000;
const clock = (serviceAheadMs: number, unseenMs = 0) =>
  toClockText(80, { serviceAheadMs, unseenMs, horizon: 0 });

describe("the clocks of a plan", () => {
  it("are told when they are a minute apart, with what comes of it", () => {
    expect(clock(59_999)).toBe("");
    expect(clock(-59_999)).toBe("");
    expect(clock(-180_000)).toMatchInlineSnapshot(`
      "  clock     the service's is 3m behind this machine's; ages go by the service's
      "
    `);
    expect(clock(180_000)).toMatchInlineSnapshot(`
      "  clock     the service's is 3m ahead of this machine's; ages go by the
                  service's; a pass gets to what has just entered so much later
      "
    `);
    expect(clock(3 * hour, 2 * hour)).toMatchInlineSnapshot(`
      "  clock     the service's is 3h ahead of this machine's; ages go by the
                  service's; a pass gets to what has just entered so much later; what
                  entered in the last 2h is left out
      "
    `);
  });
});

describe("closed guards of a plan", () => {
  it("are named with what they read and with their thresholds, or that nothing was read", () => {
    const guard = {
      index: "catalog",
      field: "pending_index_count",
      holdsAt: "> 10000",
      resumesAt: "< 5000",
    } as const;
    expect(toGuardText(80, [])).toBe("");
    expect(
      toGuardText(80, [
        { ...guard, why: "reading", value: 12_000 },
        { ...guard, index: "users", why: "stale", value: null },
      ]),
    ).toMatchInlineSnapshot(`
      "  guard     closed, so nothing new is published: index catalog,
                  pending_index_count is 12000 (holds > 10000, resumes < 5000)
        guard     closed, so nothing new is published: index users, no fresh reading
                  of pending_index_count (whenStale: hold; holds > 10000, resumes <
                  5000)
      "
    `);
  });
});

describe("ceilings of a plan", () => {
  const estimate = { passes: 1, days: 1 } as Estimate;
  const perDay = { limit: 1_000, used: 400, left: 600, endsInMs: 2 * hour };

  it("are told with what is used of them, and how far what is due goes beyond", () => {
    expect(toCeilingText(80, { closedGuards: [], perDay: null, perPass: null }, estimate)).toBe("");
    const perPass = { limit: 200, usedByOpenPass: null };
    expect(toCeilingText(80, { closedGuards: [], perDay, perPass }, estimate)).toMatchInlineSnapshot(`
      "    perDay    400 of 1000 used today (UTC), 600 left
      "
    `);
    const spent = { ...perDay, used: 1_000, left: 0 };
    expect(
      toCeilingText(
        80,
        { closedGuards: [], perDay: spent, perPass: { ...perPass, usedByOpenPass: 150 } },
        { ...estimate, passes: 3, days: 2 },
      ),
    ).toMatchInlineSnapshot(`
      "    perPass   a drain left to itself needs 3 passes or more,
                    the open pass has used 150 of 200
          perDay    1000 of 1000 used today (UTC), nothing left for 2h,
                    spread over 2 days or more
      "
    `);
  });
});
