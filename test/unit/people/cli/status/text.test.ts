import { describe, expect, test } from "vitest";
import {
  ago,
  destination,
  haltedLane,
  minute,
  drain,
  lane,
  now,
  replica,
  second,
  source,
  statusText,
  troubled,
  nothingWaits,
} from "../../../../support/statuses.ts";

const textOf: typeof statusText = (changes) => `\n${statusText(changes)}`;

describe("status on a terminal", () => {
  test("where much is wrong", () => {
    expect(textOf(troubled)).toMatchInlineSnapshot(`
      "
      document 0f1e2d3c4b5a

      drain               mode          due  held  parked  unproven  next pass
      orders              live          304    27       3         1  in 14s
      payments-to-the-o…  live, paused    0     0       0         0  late by 3m
      refunds             plan, paused    0     0       0         0  none

      orders: live, source eu
        due       rate-limit 300
        drops     archive-missing 4, due once the archive can be written
        held      too-young 12, waiting 7, rule 4, retry-after 2, cooling 1,
                  otherwise 1
        waiting   12 for api.example.com, halted, next probe in 4m
        parked    rule 2, refused 1
        guards    index catalog holds it back
        passes    one is open since 40s, 1200 listed so far, 310 sent again,
                  90 left due, 800 held, 3 windows left, the last was partial,
                  last complete 16s ago, last full 12m ago,
                  counts are of then, with what came and went since

      payments-to-the-old-provider-in-the-north: live, paused, source eu
        paused    by ana 2h ago: the receiver is down until its database has been
                  restored, see the incident channel
        passes    last complete 16s ago, last full 16s ago, counts are exact

      refunds: plan, paused, source eu
        paused    by the drains document
        passes    last complete 16s ago, last full 16s ago, counts are exact

      source eu
        queue     1234 records, oldest 2d2h, first expires in 22h,
                  3 expire soon and no copy is wanted, counted 4m ago
        !         5 selected by no drain, 4 of them failed again after a redrive,
                  2 expire soon without a copy
        back from api.example.com 503 (3), b.example without an answer (1)
        ledger    open 12, unknown 1, pending delete 4, the oldest 6m,
                  failed deletes 4, publishing waits until these are deleted
        lanes     1 halted, 1 canary, 1 ramping, 12 open
                    api.example.com of orders, halted since 6m,
                    3 of 5 failed again, 503, next probe in 4m
                    c.example of orders, canary since 6m,
                    the probe did not fail again, 5 of a step of 5 sent,
                    1 failed again, 4 not failed again yet, next step in 40s
                    queue:invoices of orders, ramping since 6m,
                    none of 5 failed again, 20 of a step of 50 sent, 0 failed again,
                    20 not failed again yet, takes 30 more now
                    b.example of orders, open since 6m, 0 of a sample of 50 sent,
                    0 failed again, other messages are not counted
                    and 11 open
        pauses    redriver-7d9f8b6c5d-q8k2p-1 is halted (unauthorised),
                  reported 3s ago
        hosts     pay.example.com of all drains paused until 2026-08-01 12:12:00 UTC
                  (in 12m), by ana 18m ago: their database is being moved

      replica                      document      for   seen ago
      redriver-7d9f8b6c5d-x2x4z-1  0f1e2d3c4b5a  1d2h  3s        rejected
      redriver-7d9f8b6c5d-q8k2p-1  aaaaaaaaaaaa  1d2h  3s        differs, rejected
      redriver-7d9f8b6c5d-x2x4z-1 rejects its drains document:
        /etc/redriver/drains.yaml:7:12 drains.orders.rules[1].when: unknown key "typ";
        expected one of body, host
        /etc/redriver/drains.yaml:9:3 drains.refunds: expected a mapping
      redriver-7d9f8b6c5d-q8k2p-1 rejects its drains document:
        drains.yaml: expected a readable drains document: it does not exist
      redriver-7d9f8b6c5d-q8k2p-1 cannot write to the archive:
        expected to write to the archive in /var/lib/redriver/archive, got a read-only
        file system (EROFS); see archive.dir
      "
    `);
  });

  test("before anything has run", () => {
    const { drain: name, source: of, mode, paused, guards } = drain("orders");
    const nothing = { nextPassAt: null, hostRates: null, destinations: [], stillCounting: true };
    const bare = { drain: name, source: of, mode, paused, guards, ...nothing, outlook: nothingWaits };
    const text = textOf({ drains: [bare], sources: [source({ census: null, depth: null })], replicas: [] });
    expect(text).toMatch(/^orders +live +- +- +- +- +none$/m);
    expect(text).toContain("\n  passes    none has ended yet\n");
    expect(text).toContain("\n  queue     not counted yet\n");
    expect(text).toContain("\nno replica is running: no pass will begin, and nothing is counted anew\n");
  });

  test("of a document that does not load: what Redis knows, without modes", () => {
    const paused = { by: "ana", reason: "deploy", at: ago(second), drain: "*" } as const;
    const text = textOf({
      documentHash: null,
      documentProblems: 3,
      drains: [drain("orders", { mode: null }), drain("refunds", { mode: null, paused })],
      replicas: [replica("a", { sameDocument: false, rejected: "3 problems" })],
    });
    expect(text).toMatch(
      /^\ndocument does not load: 3 problems, see redriver rules check; modes and guards\nare not known here; replicas go on under 0f1e2d3c4b5a\n/,
    );
    expect(text).toMatch(/^orders +- +0 .*\nrefunds +paused +0 /m);
    expect(text).toMatch(
      /^orders: -, source eu$[^]*^refunds: paused, source eu\n  paused    by ana 1s ago: deploy$/m,
    );
    expect(text).toMatch(
      /^a +0f1e2d3c4b5a +1d2h +3s +differs, rejected\na rejects its drains document:\n  3 problems$/m,
    );
  });

  test("what a lane waits for: its probe or step, a look that is late, or what keeps its drain from acting", () => {
    const halted = lane({ state: "halted", nextInMs: 0 });
    const late = { nextInMs: 15_000, awaitsLook: true };
    const endOf = (one: typeof halted, changes: Parameters<typeof textOf>[0] = {}) => {
      const lanes = {
        counts: { halted: 0, canary: 0, ramping: 0, open: 0, [one.state]: 1 },
        reported: [one],
      };
      const text = textOf({ ...changes, sources: [source({ lanes })] }).replaceAll(/\s+/g, " ");
      return /of orders, \w+ since 6m, (.*?)(?: replica document| no replica is)/.exec(text)?.[1];
    };
    expect(endOf(halted)).toBe("next probe now");
    expect(endOf({ ...halted, sent: 1, ...late })).toBe(
      "a probe is out, next probe after a listing check that is due",
    );
    const step = lane({ state: "canary", size: 5, sent: 5, ...late });
    expect(endOf(step)).toBe(
      "5 of a step of 5 sent, 0 failed again, 5 not failed again yet, next step after a listing check that is due",
    );
    const pause = { drain: "*" as const, by: "ana", at: ago(second), reason: "deploy" };
    for (const paused of [pause, { by: "document" } as const]) {
      const drains = [drain("orders", { paused })];
      expect(endOf(halted, { drains })).toBe("waits for its drain to be resumed");
    }
    expect(endOf(halted, { drains: [drain("orders", { mode: "plan" })] })).toBe("its drain is in plan mode");
    expect(endOf(halted, { replicas: [] })).toBe("waits for a replica");
    // It is open: what goes next is for the limits to say.
    const sample = "3 of a sample of 50 sent, 0 failed again, other messages are not counted";
    expect(endOf(lane({ sent: 3 }), { replicas: [] })).toBe(sample);
    expect(endOf(lane({ sent: 3, hostPaused: true }))).toBe(`${sample}, waits for its host to be resumed`);
    // Its looks fail, and it is held until one has come.
    expect(endOf(lane({ sent: 3, ...late }))).toBe(`${sample}, goes on after a listing check that is due`);
  });

  test("what waits for a lane or a pause as it stands now, whatever the last passes held for it", () => {
    const pause = { drain: "*", host: "a.example", by: "ana", at: ago(second), reason: "deploy" } as const;
    const reasons = {
      due: {},
      held: { "lane-halted": 90, "lane-watched": 4, "host-paused": 3, waiting: 2 },
      parked: {},
    };
    const open = { ...haltedLane, state: "open", nextInMs: 0 } as const;
    const textWith = (...destinations: Parameters<typeof destination>[]) =>
      textOf({
        drains: [drain("orders", { reasons, destinations: destinations.map((one) => destination(...one)) })],
      });
    const origin = "https://a.example";
    const over = textWith([origin, 97, { lane: open }]);
    expect(over).toContain("  held      waiting 2\n  passes");
    expect(textWith([origin, 97, { lane: haltedLane }])).toContain(
      "  waiting   97 for a.example, halted, next probe in 4m\n",
    );
    // What a rule holds does not wait for the lane.
    expect(textWith([origin, 97, { lane: haltedLane, heldByRules: 40 }])).toContain(
      "57 for a.example, halted",
    );
    expect(textWith([origin, 97, { lane: haltedLane, heldByRules: 97 }])).not.toContain("for a.example");
    const probed = { ...haltedLane, sent: 1, nextInMs: minute };
    expect(textWith([origin, 97, { lane: probed }])).toContain("halted, a probe is out, result in 1m\n");
    expect(textWith([origin, 97, { lane: { ...haltedLane, state: "ramping" } }])).toContain(
      "97 for a.example, ramping, next step in 4m\n",
    );
    expect(textWith([origin, 97, { lane: { ...open, nextInMs: 15_000 } }])).toMatch(
      /97 for a\.example, open,\s+goes on after a listing check that is due\n/,
    );
    expect(textWith([origin, 97, { lane: open, isPaused: true, pause }])).toContain(
      "97 for a.example, paused by a person\n",
    );
    const owners = [{ name: "priya", at: ago(second) }];
    expect(textWith([origin, 97, { lane: haltedLane, owners }])).toMatch(
      /next probe in 4m,\s+priya works on it since \d\d:\d\d UTC\n/,
    );
    const many = Array.from({ length: 7 }, (_, index) => [
      `https://${index}.example`,
      7 - index,
      { lane: haltedLane },
    ]);
    expect(textWith(...(many as Parameters<typeof destination>[]))).toContain(
      "            3 for 2 more destinations\n",
    );
  });

  test("that no replica runs: nothing that is scheduled will begin", () => {
    expect(textOf({ replicas: [] })).toMatch(/^orders +live +0 +0 +0 +0 +no replica$/m);
  });

  test("where the first record has expired, and clocks differ", () => {
    const census = {
      ...source().census!,
      at: now + second,
      oldestEnteredAt: ago(1),
      earliestExpiryAt: ago(1),
    };
    expect(textOf({ sources: [source({ census })] })).toContain(
      "oldest 1ms, the first has expired, counted 0s ago",
    );
  });

  test("the queue as it is now, and as it was when it was counted", () => {
    const depth = { count: 78, exact: false, stillCounting: false };
    const census = { ...source().census!, depth: 2_928 };
    expect(textOf({ sources: [source({ depth, census })] })).toContain(
      "78 records, 2928 when counted 4m ago",
    );
    expect(textOf({ sources: [source({ depth, census: null })] })).toContain(
      "78 records, no census has ended yet",
    );
    const sofar = { ...depth, stillCounting: true };
    expect(textOf({ sources: [source({ depth: sofar, census: null })] })).toContain(
      "at least 78 records, still counting, no census has ended yet",
    );
  });

  test("is never wider than 80 columns", () => {
    for (const text of [textOf({}), textOf(troubled)]) {
      expect(text.split("\n").filter((line) => Array.from(line).length > 80)).toEqual([]);
    }
  });
});
