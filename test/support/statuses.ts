import { emptyTally } from "../../src/job/contracts/tally.ts";
import type { Status, LaneStatus } from "../../src/people/operations/status/read.ts";
import { toOverview } from "../../src/people/cli/status/overview.ts";
import { toDetailsText } from "../../src/people/cli/status/command.ts";
import type { LaneStanding } from "../../src/people/read/lane-standings.ts";
import type { Outlook } from "../../src/people/read/outlook.ts";
import type { Census } from "../../src/job/contracts/source-book.ts";
import type { DrainName, PassId, SourceId } from "../../src/job/contracts/ids.ts";

export const now = Date.UTC(2026, 7, 1, 12);
export const ago = (ms: number): number => now - ms;
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

export const eu = "eu" as SourceId;

export const nothingWaits: Outlook = {
  waiting: 0,
  heldByRules: 0,
  heldByRulesAt: now,
  stoppedWaiting: 0,
  waitingForAttempt: 0,
  waitingForPerson: 0,
  waitingForDate: 0,
  waitingAfterRefusal: 0,
  waitingForDay: 0,
  waitingForProof: 0,
  going: 0,
  backlog: 0,
  perSecond: null,
  atRateMs: null,
};

type DrainStatus = Status["drains"][number];
type SourceStatus = Status["sources"][number];
type ReplicaStatus = Status["replicas"][number];

export function drain(name: string, changes: Partial<DrainStatus> = {}): DrainStatus {
  return {
    drain: name as DrainName,
    source: eu,
    mode: "live",
    paused: null,
    guards: [],
    nextPassAt: now + 14 * second,
    hostRates: null,
    due: 0,
    held: 0,
    parked: 0,
    inDoubt: 0,
    exact: true,
    reasons: { due: {}, held: {}, parked: {} },
    failures: [],
    gone: null,
    pace: {},
    backlog: null,
    destinations: [],
    stillCounting: false,
    outlook: nothingWaits,
    oldestRecordAt: null,
    lastSuccessAt: ago(16 * second),
    lastFullAt: ago(16 * second),
    openPass: null,
    lastOutcome: "complete",
    ...changes,
  };
}

export const nothingExpires = { count: 0, atLeast: 0, by: now + 24 * hour, asOf: now };

export const noneExpire: Status["expiring"] = {
  ...nothingExpires,
  unsent: { atLeast: 0, isExact: true, earliestAt: null },
  groups: [],
};

const emptyCensus: Census = {
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
};

export function source(changes: Partial<SourceStatus> = {}): SourceStatus {
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
    gone: 0,
    settleGate: "open",
    triedAgainAt: null,
    listed: { at: ago(12 * second), isLate: false },
    census: emptyCensus,
    depth: { count: 0, exact: true, stillCounting: false },
    expiring: nothingExpires,
    shared: null,
    failures: [],
    deliveries: null,
    hostPauses: [],
    servicePauses: [],
    brakes: [],
    lanes: null,
    ...changes,
  };
}

export function replica(name: string, changes: Partial<ReplicaStatus> = {}): ReplicaStatus {
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

export const statusOf = (changes: Partial<Status>): Status => ({
  at: now,
  documentHash: "0f1e2d3c4b5a",
  documentProblems: 0,
  redisFit: true,
  expiring: noneExpire,
  drains: [drain("orders")],
  sources: [source()],
  replicas: [replica("redriver-1")],
  ...changes,
});

/** As a terminal of 80 columns shows `redriver status orders`. */
export function statusText(changes: Partial<Status>): string {
  const status = statusOf(changes);
  const overview = toOverview({ columns: 80, rows: 200 }, status, false);
  return `${overview}\n${toDetailsText(80, status)}`;
}

export function lane(changes: Partial<LaneStatus>): LaneStatus {
  return {
    lane: "l",
    step: 1,
    drain: "orders" as DrainName,
    origin: "https://a.example",
    state: "open",
    since: ago(6 * minute),
    why: "",
    size: 50,
    sent: 0,
    comeBacks: { down: 0, refused: 0 },
    unknown: 0,
    nextAt: null,
    isShaky: false,
    totals: { canaries: 0, comeBacks: 0, halts: 0 },
    lastUsedAt: ago(minute),
    nextInMs: null,
    awaitsLook: false,
    hostPaused: false,
    ...changes,
  };
}

export function destination(
  origin: string,
  waiting: number,
  changes: Partial<DrainStatus["destinations"][number]> = {},
): DrainStatus["destinations"][number] {
  const counts = { unseen: 0, parked: 0, arrived: 0, published: 0, failedAgain: 0 };
  const none = {
    lane: null,
    isPaused: false,
    pause: null,
    heldByRules: 0,
    isHeldByRules: false,
    failingSince: null,
    owners: [],
    ownersOfKinds: [],
  };
  return { origin, waiting, ...counts, ...none, ...changes };
}

export const haltedLane: LaneStanding = {
  state: "halted",
  sinceMs: minute,
  why: null,
  lastProbeAt: null,
  size: 1,
  sent: 0,
  nextInMs: 4 * minute,
  isSuspect: true,
};

/** Every line that status has. */
export const troubled: Partial<Status> = {
  drains: [
    drain("orders", {
      due: 304,
      held: 27,
      parked: 3,
      inDoubt: 1,
      outlook: { ...nothingWaits, waitingForProof: 1 },
      exact: false,
      guards: [
        { index: "catalog", effect: "closed" },
        { index: "prices", effect: "open" },
      ],
      reasons: {
        due: { "rate-limit": 300, "archive-missing": 4 },
        held: { "too-young": 12, rule: 4, waiting: 7, "retry-after": 2, cooling: 1, otherwise: 1 },
        parked: { refused: 1, rule: 2 },
      },
      openPass: {
        passId: "p" as PassId,
        kind: "full",
        startedAt: ago(40 * second),
        progressAt: now,
        windowsLeft: 3,
        soFar: { ...emptyTally, listed: 1_200, republished: 310, due: 90, held: 800 },
      },
      lastOutcome: "partial",
      lastFullAt: ago(12 * minute),
      destinations: [destination("https://api.example.com", 12, { lane: haltedLane })],
    }),
    drain("payments", {
      paused: { drain: "payments" as DrainName, by: "ana", at: ago(2 * hour), reason: "it is down" },
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
      depth: { count: 1_234, exact: false, stillCounting: false },
      census: {
        ...emptyCensus,
        depth: 1_234,
        unselected: 5,
        oldestUnselectedAt: ago(50 * hour),
        strayComeBacks: { count: 4, top: [{ host: "api.example.com", status: 503, count: 3 }] },
        oldestEnteredAt: ago(50 * hour),
        earliestExpiryAt: now + 22 * hour,
        expiringUnarchived: 2,
        expiringAccepted: 3,
      },
      servicePauses: [{ calls: "publish", until: now + 40 * second }],
      brakes: [{ key: "redriver:orders", waiting: 3, isPaused: true }],
      hostPauses: [
        {
          drain: "*",
          host: "pay.example.com",
          by: "ana",
          at: ago(18 * minute),
          reason: "their database is being moved",
          until: now + 12 * minute,
        },
      ],
      lanes: {
        counts: { halted: 1, canary: 1, ramping: 1, open: 12 },
        reported: [
          lane({ state: "halted", why: "3 of 5 failed again, 503", nextInMs: 4 * minute }),
          lane({
            state: "canary",
            why: "",
            size: 5,
            sent: 5,
            comeBacks: { down: 1, refused: 0 },
            nextInMs: 40_000,
          }),
          lane({ state: "ramping", why: "none of 5 failed again", sent: 20, nextInMs: 0 }),
          lane({ state: "open" }),
        ],
      },
    }),
  ],
  replicas: [
    replica("redriver-1", { rejected: "drains.yaml:7:12 drains.orders: expected a mapping" }),
    replica("redriver-2", {
      documentHash: "aaaaaaaaaaaa",
      sameDocument: false,
      modes: { orders: "plan" },
      archive: "expected to write to the archive in /archive, got a read-only file system",
      rejected: "drains.yaml: expected a readable drains document: it does not exist",
      resting: [{ source: eu, state: "halted", code: "unauthorised" }],
    }),
  ],
};
