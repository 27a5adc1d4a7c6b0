import { expect, test } from "vitest";
import { PlanOfDrain } from "../../../../../src/people/console/parts/plan-of-drain.tsx";
import type { PlanReport } from "../../../../../src/people/operations/plans/freeze-plan.ts";

const createdAt = Date.UTC(2026, 10, 20, 10, 15);
const minute = 60_000;
const none = { top: [], more: { kinds: 0, count: 0 } };

const drain = {
  drain: "orders",
  host: "qstash.upstash.io",
  clock: { serviceAheadMs: 0 },
  range: { to: createdAt },
  planned: 20,
  listed: 20,
  elsewhere: 0,
  cut: false,
  decisions: { republish: 12, drop: 0, park: 0, settle: 0, hold: 8 },
  parkedAlready: 0,
  unusable: {},
  pausedBy: null,
  archive: "there",
  room: { closedGuards: [] },
  lanes: { lanes: [{ origin: "https://pay.example.com", state: "halted", due: 12, nextInMs: 4 * minute }] },
  rules: [
    {
      rule: "outage",
      count: 20,
      dueNow: 12,
      reasons: [{ then: "hold", reason: "too-young", count: 8 }],
      next: [
        {
          then: "republish",
          reason: "due",
          rule: "outage",
          count: 8,
          from: createdAt + minute,
          to: createdAt + 5 * minute,
        },
      ],
      laterFrom: createdAt + minute,
      laterTo: createdAt + 5 * minute,
      statuses: none,
      hosts: none,
      samples: [],
    },
  ],
  failures: none,
  estimate: {
    publishes: 12,
    later: 8,
    least: null,
    passes: 1,
    days: 1,
    destinations: { top: [], more: { destinations: 0 } },
  },
} as unknown as PlanReport["drains"][number];

const shown = async (changes: object = {}): Promise<string> =>
  String(await PlanOfDrain({ drain: { ...drain, ...changes }, createdAt })).replaceAll(/<[^>]+>/g, " ");

test("a plan that was made earlier shows times of the day, and what it met as of its making", async () => {
  const text = await shown();
  expect(text).toMatch(
    /When it was made, at [^:]*10:15.*pay\.example\.com was halted, with 12 waiting for it\./,
  );
  expect(text).toContain("8 republish by outage from 10:16 UTC to 10:20 UTC");
  expect(text).toContain("decided anew from 10:16 UTC to 10:20 UTC");
  expect(text).not.toMatch(/next probe| in \d+[smh]/);
});

const rowOf = (text: string, host: string) =>
  new RegExp(`${host} +([\\d, ]+)`).exec(text)?.[1]?.trim().split(/\s+/);

test("what a halt, a pause or a guard holds is named so, and a limit of no time is not shown", async () => {
  const [pay, shop] = ["https://pay.example.com", "https://shop.example.com"];
  const top = [
    { origin: pay, publishes: 12, later: 8 },
    { origin: shop, publishes: 5, later: 0 },
  ];
  const destinations = { top, more: { destinations: 0 } };
  const least = { kind: "publish", publishes: 17, rate: { count: 340, perMs: 1_000 }, ms: 50 };
  const estimate = { ...drain.estimate, destinations, least };
  const halted = await shown({ estimate });
  expect(halted).toMatch(/destination +due now +held by a halt +due later/);
  expect(rowOf(halted, "pay.example.com")).toEqual(["0", "12", "8"]);
  expect(rowOf(halted, "shop.example.com")).toEqual(["5", "0", "0"]);
  expect(halted).toMatch(/rule +records +due now, or held by a halt/);
  expect(halted).not.toContain("at least");
  const paused = await shown({ estimate, pausedBy: "by eve" });
  expect(paused).toMatch(/destination +held by a pause +due later/);
  const free = await shown({ estimate: { ...estimate, least: { ...least, ms: 90_000 } }, lanes: null });
  expect(free).toMatch(/destination +due now +due later/);
  expect(free).toMatch(/17 at 340\/s: at least 1m30s/);
});
