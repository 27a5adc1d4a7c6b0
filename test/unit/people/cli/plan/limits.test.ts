import { expect, it } from "vitest";
import { toCeilings, toClock, toGuards } from "../../../../../src/people/cli/plan/limits.ts";
import type { Estimate } from "../../../../../src/people/plan/estimate.ts";

const hour = 3_600_000;
const clock = (serviceAheadMs: number, unseenMs = 0) => toClock({ serviceAheadMs, unseenMs, horizon: 0 });

it("the clocks of a plan are told when they are a minute apart, with what comes of it", () => {
  expect([clock(59_999), clock(-59_999)]).toEqual(["", ""]);
  expect(clock(-180_000)).toBe("the service's is 3m behind this machine's; ages go by the service's");
  expect(clock(3 * hour, 2 * hour)).toBe(
    "the service's is 3h ahead of this machine's; ages go by the service's; a pass gets to what has just entered so much later; what entered in the last 2h is left out",
  );
});

it("closed guards are named with what they read and with their thresholds, or that nothing was read", () => {
  const guard = {
    index: "catalog",
    field: "pending_index_count",
    holdsAt: "> 10000",
    resumesAt: "< 5000",
  } as const;
  const stale = { ...guard, index: "users", why: "stale", value: null } as const;
  expect(toGuards([{ ...guard, why: "reading", value: 12_000 }, stale]).split("\n")).toEqual([
    "closed, so nothing new is published: index catalog, pending_index_count is 12000 (holds > 10000, resumes < 5000)",
    "closed, so nothing new is published: index users, no fresh reading of pending_index_count (whenStale: hold; holds > 10000, resumes < 5000)",
  ]);
});

it("ceilings are told with what is used of them, and how far what is due goes beyond", () => {
  const room = { closedGuards: [], perDay: null, perPass: null };
  const none = { passes: 1, days: 1 } as Estimate;
  expect(toCeilings(room, none)).toEqual({ perPass: [], perDay: [] });
  const perDay = { limit: 1_000, used: 400, left: 600, endsInMs: 2 * hour };
  expect(toCeilings({ ...room, perDay }, none).perDay).toEqual(["400 of 1000 used today (UTC)", "600 left"]);
  const spent = {
    ...room,
    perDay: { ...perDay, used: 1_000, left: 0 },
    perPass: { limit: 200, usedByOpenPass: 150 },
  };
  expect(toCeilings(spent, { passes: 3, days: 2 })).toEqual({
    perPass: ["a drain left to itself needs 3 passes or more", "the open pass has used 150 of 200"],
    perDay: ["1000 of 1000 used today (UTC)", "nothing left for 2h", "spread over 2 days or more"],
  });
});
