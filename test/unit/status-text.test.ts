import { describe, expect, test } from "vitest";
import type { Status } from "../../src/cli/read-status.ts";
import { toStatusText } from "../../src/cli/status-text.ts";
import type { DrainName, PassId, SourceId } from "../../src/ports/ids.ts";

const now = Date.UTC(2026, 7, 1, 12);
const ago = (ms: number): number => now - ms;
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const eu = "eu" as SourceId;

type DrainStatus = Status["drains"][number];
type SourceStatus = Status["sources"][number];
type ReplicaStatus = Status["replicas"][number];

function drain(name: string, changes: Partial<DrainStatus> = {}): DrainStatus {
  return {
    drain: name as DrainName,
    source: eu,
    mode: "live",
    paused: null,
    guards: [],
    nextPassAt: now + 14 * second,
    due: 0,
    held: 0,
    parked: 0,
    inDoubt: 0,
    exact: true,
    reasons: { due: {}, held: {}, parked: {} },
    oldestRecordAt: null,
    lastSuccessAt: ago(16 * second),
    lastFullAt: ago(16 * second),
    openPass: null,
    lastOutcome: "complete",
    ...changes,
  };
}

function source(changes: Partial<SourceStatus> = {}): SourceStatus {
  return {
    source: eu,
    epoch: "e",
    sequence: 1,
    at: now,
    open: 0,
    unknown: 0,
    oldestOpenAt: null,
    pendingDelete: 0,
    oldestPendingAt: null,
    failedDeletes: 0,
    parked: null,
    settleGate: "open",
    census: {
      at: ago(4 * minute),
      counted: "listing",
      depth: 0,
      unselected: 0,
      oldestUnselectedAt: null,
      strayComeBacks: { count: 0, top: [] },
      oldestEnteredAt: null,
      earliestExpiryAt: null,
      expiringUnarchived: 0,
      expiringAccepted: 0,
      documentHash: "0f1e2d3c4b5a",
    },
    ...changes,
  };
}

function replica(name: string, changes: Partial<ReplicaStatus> = {}): ReplicaStatus {
  return {
    replica: name,
    version: "1.2.3",
    documentHash: "0f1e2d3c4b5a",
    adoptedAt: ago(26 * hour),
    rejected: null,
    resting: [],
    seenAt: ago(3 * second),
    sameDocument: true,
    ...changes,
  };
}

function textOf(changes: Partial<Status>): string {
  return `\n${toStatusText(80, {
    at: now,
    documentHash: "0f1e2d3c4b5a",
    documentProblems: 0,
    drains: [drain("orders")],
    sources: [source()],
    replicas: [replica("redriver-7d9f8b6c5d-x2x4z-1")],
    ...changes,
  })}`;
}

const troubled: Partial<Status> = {
  drains: [
    drain("orders", {
      due: 300,
      held: 27,
      parked: 3,
      inDoubt: 1,
      exact: false,
      guards: [
        { index: "catalog", effect: "closed" },
        { index: "prices", effect: "open" },
      ],
      reasons: {
        due: { "rate-limit": 300 },
        held: { "too-young": 12, rule: 4, waiting: 7, "retry-after": 2, cooling: 1, otherwise: 1 },
        parked: { refused: 1, rule: 2 },
      },
      openPass: { passId: "p" as PassId, startedAt: ago(40 * second), progressAt: now },
      lastOutcome: "partial",
      lastFullAt: ago(12 * minute),
    }),
    drain("payments-to-the-old-provider-in-the-north", {
      paused: {
        drain: "payments" as DrainName,
        by: "ana",
        at: ago(2 * hour),
        reason: "the receiver is down until its database has been restored, see the incident channel",
      },
      nextPassAt: ago(3 * minute),
    }),
    drain("refunds", { mode: "plan", paused: { by: "document" }, nextPassAt: null }),
  ],
  sources: [
    source({
      open: 12,
      unknown: 1,
      pendingDelete: 4,
      oldestPendingAt: ago(6 * minute),
      failedDeletes: 4,
      settleGate: "closed",
      census: {
        at: ago(4 * minute),
        counted: "listing",
        depth: 1_234,
        unselected: 5,
        oldestUnselectedAt: ago(50 * hour),
        strayComeBacks: {
          count: 4,
          top: [
            { host: "api.example.com", status: 503, count: 3 },
            { host: "b.example", status: null, count: 1 },
          ],
        },
        oldestEnteredAt: ago(50 * hour),
        earliestExpiryAt: now + 22 * hour,
        expiringUnarchived: 2,
        expiringAccepted: 3,
        documentHash: "0f1e2d3c4b5a",
      },
    }),
  ],
  replicas: [
    replica("redriver-7d9f8b6c5d-x2x4z-1", {
      rejected:
        '/etc/redriver/drains.yaml:7:12 drains.orders.rules[1].when: unknown key "typ"; expected one of body, host\n/etc/redriver/drains.yaml:9:3 drains.refunds: expected a mapping',
    }),
    replica("redriver-7d9f8b6c5d-q8k2p-1", {
      documentHash: "aaaaaaaaaaaa",
      sameDocument: false,
      rejected: "drains.yaml: expected a readable drains document: it does not exist",
      resting: [{ source: eu, state: "halted", code: "unauthorised" }],
    }),
  ],
};

describe("status on a terminal", () => {
  test("where all is well", () => {
    expect(textOf({})).toMatchInlineSnapshot(`
      "
      document 0f1e2d3c4b5a

      drain   mode  due  held  parked  in doubt  next pass
      orders  live    0     0       0         0  in 14s

      orders: live, source eu
        passes    last complete 16s ago, last full 16s ago, counts are exact

      source eu
        queue     0 records, counted 4m ago
        ledger    open 0, in doubt 0, pending delete 0, settle gate open

      replica                      document      for   seen ago
      redriver-7d9f8b6c5d-x2x4z-1  0f1e2d3c4b5a  1d2h  3s
      "
    `);
  });

  test("where much is wrong", () => {
    expect(textOf(troubled)).toMatchInlineSnapshot(`
      "
      document 0f1e2d3c4b5a

      drain               mode          due  held  parked  in doubt  next pass
      orders              live          300    27       3         1  in 14s
      payments-to-the-o…  live, paused    0     0       0         0  late by 3m
      refunds             plan, paused    0     0       0         0  none

      orders: live, source eu
        due       rate-limit 300
        held      too-young 12, waiting 7, rule 4, retry-after 2, cooling 1,
                  otherwise 1
        parked    rule 2, refused 1
        guards    index catalog holds it back
        passes    one is open since 40s, the last was partial, last complete 16s ago,
                  last full 12m ago, counts carried forward since

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
        !         5 selected by no drain, 4 of them came back from a redrive,
                  2 expire soon without a copy
        back from api.example.com 503 (3), b.example without an answer (1)
        ledger    open 12, in doubt 1, pending delete 4, the oldest 6m,
                  failed deletes 4, settle gate closed
        resting   redriver-7d9f8b6c5d-q8k2p-1 is halted (unauthorised)

      replica                      document      for   seen ago
      redriver-7d9f8b6c5d-x2x4z-1  0f1e2d3c4b5a  1d2h  3s        rejected
      redriver-7d9f8b6c5d-q8k2p-1  aaaaaaaaaaaa  1d2h  3s        differs, rejected
      redriver-7d9f8b6c5d-x2x4z-1 rejects its drains document:
        /etc/redriver/drains.yaml:7:12 drains.orders.rules[1].when: unknown key "typ";
        expected one of body, host
        /etc/redriver/drains.yaml:9:3 drains.refunds: expected a mapping
      redriver-7d9f8b6c5d-q8k2p-1 rejects its drains document:
        drains.yaml: expected a readable drains document: it does not exist
      "
    `);
  });

  test("before anything has run", () => {
    const { drain: name, source: of, mode, paused, guards } = drain("orders");
    const bare = { drain: name, source: of, mode, paused, guards, nextPassAt: null };
    const text = textOf({ drains: [bare], sources: [source({ census: null })], replicas: [] });
    expect(text).toMatchInlineSnapshot(`
      "
      document 0f1e2d3c4b5a

      drain   mode  due  held  parked  in doubt  next pass
      orders  live  -    -     -       -         none

      orders: live, source eu
        passes    none has ended yet

      source eu
        queue     not counted yet
        ledger    open 0, in doubt 0, pending delete 0, settle gate open

      no replica is running: no pass will begin, and nothing is counted anew
      "
    `);
  });

  test("of a document that does not load: what Redis knows, without modes", () => {
    const text = textOf({
      documentHash: null,
      documentProblems: 3,
      drains: [
        drain("orders", { mode: null }),
        drain("refunds", {
          mode: null,
          paused: { by: "ana", reason: "deploy", at: ago(second), drain: "*" },
        }),
      ],
      replicas: [replica("redriver-7d9f8b6c5d-x2x4z-1", { sameDocument: false, rejected: "3 problems" })],
    });
    expect(text).toMatchInlineSnapshot(`
      "
      document does not load: 3 problems, see redriver rules check; modes and guards
      are not known here; replicas go on under 0f1e2d3c4b5a

      drain    mode    due  held  parked  in doubt  next pass
      orders   -         0     0       0         0  in 14s
      refunds  paused    0     0       0         0  in 14s

      orders: -, source eu
        passes    last complete 16s ago, last full 16s ago, counts are exact

      refunds: paused, source eu
        paused    by ana 1s ago: deploy
        passes    last complete 16s ago, last full 16s ago, counts are exact

      source eu
        queue     0 records, counted 4m ago
        ledger    open 0, in doubt 0, pending delete 0, settle gate open

      replica                      document      for   seen ago
      redriver-7d9f8b6c5d-x2x4z-1  0f1e2d3c4b5a  1d2h  3s        differs, rejected
      redriver-7d9f8b6c5d-x2x4z-1 rejects its drains document:
        3 problems
      "
    `);
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

  test("is never wider than 80 columns", () => {
    for (const text of [textOf({}), textOf(troubled)]) {
      expect(text.split("\n").filter((line) => Array.from(line).length > 80)).toEqual([]);
    }
  });
});
