import { describe, expect, it } from "vitest";
import type { LaneWait } from "../../../../../src/people/plan/lane-waits.ts";
import { toPlanText } from "../../../../../src/people/cli/plan/text.ts";
import type { PlanReport } from "../../../../../src/people/operations/plans/freeze-plan.ts";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import type { DrainName, SourceId } from "../../../../../src/job/contracts/ids.ts";
import type { RuleReport } from "../../../../../src/people/plan/rule-report.ts";

const createdAt = Date.UTC(2026, 10, 20, 10, 15, 0);
const none = { kinds: 0, count: 0 };

const hour = 3_600_000;

type Next = RuleReport["next"][number];

/** `inMs`, `toMs`: after the plan was made. */
function next(
  then: Next["then"],
  reason: Next["reason"],
  rule: string | null,
  count: number,
  inMs: number,
  toMs = inMs,
): Next {
  return { then, reason, rule, count, from: createdAt + inMs, to: createdAt + toMs };
}

const sample = { status: 503, attempt: 0, redrive: 1, changes: [], losses: [] };

const outage: RuleReport = {
  rule: "outage",
  count: 1_132,
  expiry: { expired: 0, within1h: 4, within6h: 4, within24h: 200, earliestAt: createdAt + 720_000 },
  next: [
    next("republish", "due", "outage", 200, 72_000, 600_000),
    next("drop", "rule", "too-old", 90, 46 * hour, 47 * hour),
    next("park", "redacted", "outage", 20, hour),
    next("hold", "otherwise", null, 6, 2 * hour),
    next("expire", "retention", null, 4, 720_000),
  ],
  dueNow: 812,
  byService: 0,
  later: 320,
  laterFrom: createdAt + 72_000,
  laterTo: createdAt + 600_000,
  oldestEnteredAt: createdAt - 3_720_000,
  reasons: [
    { key: "republish due", then: "republish", reason: "due", count: 812 },
    { key: "hold too-young", then: "hold", reason: "too-young", count: 300 },
    { key: "hold waiting", then: "hold", reason: "waiting", count: 20 },
  ],
  hosts: {
    top: [{ key: "api.orders.example.com", count: 900 }],
    more: { kinds: 4, count: 12 },
  },
  statuses: {
    top: [
      { key: "503", count: 1_000 },
      { key: "none", count: 132 },
    ],
    more: none,
  },
  losses: [{ key: "queue-delay", count: 3 }],
  samples: [
    { ...sample, dlqId: "1795211964826-0" as DlqId, url: "https://api.orders.example.com/hook?id=***" },
    {
      ...sample,
      dlqId: "1795211964931-0" as DlqId,
      url: "https://old.orders.example.com/a/rather/long/path/that/does/not/fit/a/line/of/80/columns",
      changes: [
        {
          what: "destination",
          change: "changed",
          before: "https://old.orders.example.com/a/rather/long/path/that/does/not/fit/a/line",
          after: "https://new.orders.example.com/a/rather/long/path/that/does/not/fit/a/line",
        },
        { what: "header X-Redriven", change: "added", before: null, after: "***" },
        { what: "header X-Old", change: "removed", before: "***", after: null },
        { what: "retries", change: "changed", before: "3", after: "1" },
        { what: "body /schema", change: "changed", before: "number", after: "number" },
        { what: "body, and more places", change: "changed", before: null, after: null },
      ],
      losses: ["queue-delay"],
    },
  ],
};

const report: PlanReport = {
  createdAt,
  ledger: "there",
  documentHash: "3f46b1edb62d5f0011223344",
  filter: {},
  complete: true,
  drains: [
    {
      drain: "orders" as DrainName,
      source: "eu" as SourceId,
      host: "qstash.upstash.io",
      pausedBy: "by eve: incident 7",
      mode: "plan",
      range: { from: 0, to: createdAt - 5_000 },
      clock: { serviceAheadMs: 0, horizon: createdAt - 5_000, unseenMs: 0 },
      listed: 1_181,
      planned: 1_180,
      elsewhere: 0,
      cut: false,
      expiry: { expired: 2, within1h: 4, within6h: 4, within24h: 200, earliestAt: createdAt - 1 },
      decisions: { republish: 812, drop: 3, settle: 1, park: 41, hold: 323 },
      archive: "missing",
      parkedAlready: 12,
      byService: 0,
      unusable: { "malformed-record": 1 },
      rules: [outage],
      failures: {
        top: [
          {
            id: "0123456789",
            origin: "https://api.orders.example.com",
            status: 503,
            text: "upstream connect error or disconnect/reset before headers. reset reason: <text>",
            count: 1_000,
            decisions: [
              { key: "republish", count: 812 },
              { key: "hold", count: 188 },
            ],
          },
        ],
        more: { kinds: 3, count: 48 },
      },
      room: {
        closedGuards: [],
        perDay: { limit: 100, used: 90, left: 10, endsInMs: 49_500_000 },
        perPass: { limit: 500, usedByOpenPass: null },
      },
      lanes: null,
      estimate: {
        publishes: 812,
        later: 0,
        least: {
          kind: "host",
          name: "api.orders.example.com",
          rate: { count: 10, perMs: 1_000 },
          publishes: 812,
          ms: 81_200,
        },
        destinations: {
          top: [{ origin: "https://api.orders.example.com", publishes: 812, later: 0 }],
          more: { destinations: 0, publishes: 0, later: 0 },
        },
        passes: 2,
        days: 9,
      },
    },
  ],
};

const lane: LaneWait = {
  origin: "https://a.example.com",
  due: 812,
  kept: 0,
  state: "halted",
  sinceMs: 180_000,
  why: null,
  sent: 0,
  nextInMs: 0,
  lastProbeAt: null,
};
const withLanes = (lanes: readonly LaneWait[]): PlanReport => ({
  ...report,
  drains: [
    {
      ...report.drains[0]!,
      rules: [],
      failures: { top: [], more: none },
      lanes: { watchMs: 60_000, lanes, more: { lanes: 0, due: 0 } },
    },
  ],
});

describe("a plan on the terminal", () => {
  it("answers what would be done, why, and what it would take", () => {
    expect(toPlanText(80, report)).toMatchInlineSnapshot(`
      "Plan of 2026-11-20 10:15:00 UTC: 812 to send again (812 held), 3 to drop, 29 to
      park, 1 to delete again; 335 stay. Nothing was changed.
        document  3f46b1edb62d

      orders (mode plan) on qstash.upstash.io: 1180 of 1181 records
        entered  until 2026-11-20 10:14:55 UTC
        paused   by eve: incident 7
        archive  none, so what would be dropped is held
        expires  2 past their retention, 4 within 1h, 200 within 24h
        now      812 republish (paused), 3 drop, 29 park, 1 delete again (published
                 before)
        later    200 republish in 1m12s to 10m, 90 drop in 1d22h to 1d23h, 20 park in
                 1h, 4 expire in 12m
        stays    9 held, 12 parked already, 1 unreadable (malformed-record)

        rule outage: 1132 records, the oldest for 1h2m
          expires  4 within 1h, 200 within 24h, the first in 12m
          due      812 now (paused), 200 in 1m12s to 10m
          then     90 drop by too-old in 1d22h to 1d23h, 20 park (redacted) by outage
                   in 1h, 6 hold (otherwise) in 2h, 4 expire in 12m
          why      republish: due 812, hold: too-young 300, hold: waiting 20
          status   503 1000, none 132
          hosts    api.orders.example.com 900, 4 more 12
          losses   queue-delay 3
          samples
            1795211964826-0  503 https://api.orders.example.com/hook?id=***, attempt
                             1, sent unchanged
            1795211964931-0  503 https://old.orders.example.com/a/rather/long/path/tha
                             t/does/not/fit/a/line/of/80/columns, attempt 1
                             destination
                             - https://old.orders.example.com/a/rather/long/path/that/
                             does/not/fit/a/line
                             + https://new.orders.example.com/a/rather/long/path/that/
                             does/not/fit/a/line
                             header X-Redriven: added, ***
                             header X-Old: removed, was ***
                             retries: 3 -> 1
                             body /schema: changed (number)
                             body, and more places: changed

        failures that look alike
          failure                records  destination
          0123456789                1000  api.orders.example.com
              answer 503 upstream connect error or disconnect/reset before headers.
              reset reason: <text>; decided republish 812, hold 188
          3 or more other kinds       48  -

        publishes
          limit     812 for api.orders.example.com at 10/s: at least 1m21s
          per pass  a drain left to itself needs 2 passes or more
          per day   90 of 100 used today (UTC), 10 left, spread over 9 days or more
          to
            destination             now  held by a pause
            api.orders.example.com    0              812
      "
    `);
  });

  it("says where it would say how many are due that a halted lane holds them, or a pause does", () => {
    const halted = withLanes([lane, { ...lane, due: 8 }]);
    const told = (pausedBy: string | null): string =>
      toPlanText(200, { ...halted, drains: [{ ...halted.drains[0]!, rules: [outage], pausedBy }] });
    expect(told(null)).toContain("812 republish (820 wait for halted lanes), 3 drop");
    expect(told(null)).toContain("due      812 now (or held by a halt, see lanes), 200 in");
    expect(told("by eve: incident 7")).toContain("812 republish (paused), 3 drop");
    expect(told("by eve: incident 7")).toContain("due      812 now (paused), 200 in");
    const open = withLanes([{ ...lane, state: "open" }]).drains[0]!;
    expect(toPlanText(200, { ...halted, drains: [{ ...open, rules: [outage], pausedBy: null }] })).toContain(
      "812 republish, 3 drop",
    );
  });
});
