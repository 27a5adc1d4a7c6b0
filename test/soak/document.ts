import { grantLifeMs, type LedgerLimits } from "../../src/job/contracts/ledger-limits.ts";

/**
 * Times of the soak, ms: the shortest that redriver's settings allow, so that a minute holds many takeovers.
 */
export const times = {
  sendBy: 1_000,
  networkDelay: 1_000,
  batchTimeout: 1_000,
  dedupWindow: 90_000,
  sweepEvery: 5_000,
  /** takeoverAfter = sendBy + batchTimeout + 15 s. */
  takeoverAfter: 17_000,
  /** No setting: schedules that were lost with Redis are written again within this. */
  scheduleEvery: 15_000,
} as const;

/**
 * The same as a ledger has it. Nothing is begun or kept by the soak, so the lives of entries do not matter.
 */
export const ledgerLimits: LedgerLimits = {
  dedupWindowMs: times.dedupWindow,
  sendByMs: times.sendBy,
  batchTimeoutMs: times.batchTimeout,
  networkDelayMs: times.networkDelay,
  maxPageAgeMs: 20_000,
  retentionMs: 3 * 86_400_000,
  tombstoneMs: 3_600_000,
  settleGateAgeMs: 60_000,
  settleGateFailedDeletes: 1_000,
};

/** Of the drain `tried`. */
const lane = { canary: 2, watchMs: 2_000, probeEveryMs: 2_000 } as const;
/** What is under this path is that drain's alone. */
export const triedPath = "tried";

/**
 * How long a lane holds what could be published, where nothing is broken any more: the grant of a worker that
 * died, the longest wait for a probe, and the watches of probe, canaries and what ramps before it opens; each
 * is looked at by a sweep.
 */
export const mostInLaneMs =
  grantLifeMs(ledgerLimits) + 3 * lane.probeEveryMs + 3 * lane.watchMs + 4 * times.sweepEvery;

export const sourceId = "default";
export const keyPrefix = "soak";

/**
 * Two drains that list the same records in part, with rules for every fate, and one that tries its
 * destination by a lane.
 */
export function toDocument(archiveDir: string, receiverUrl: string): string {
  return `
version: 1
archive: { dir: ${archiveDir}, keep: 3d }
sources: { ${sourceId}: { retention: 3d, dedupWindow: 90s, census: 20s } }
defaults:
  mode: live
  schedule: { every: 500ms, full: 8s }
  minAge: 500ms
  attempts: { max: 4, wait: [500ms, 1s, 2s], then: park }
  lane: none
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
  beforeExpiry: { within: 1h, then: archive }
drains:
  main:
    rules:
      - { name: of-another-drain, when: { path: /${triedPath} }, then: hold }${rules}
  orders:
    select: { topicName: orders }
    rules: ${rules}
  tried:
    select: { url: "${receiverUrl}/${triedPath}" }
    lane: { canary: ${lane.canary}, watch: ${lane.watchMs}ms, haltAt: 60%, probeEvery: ${lane.probeEveryMs}ms }
    # Opens after 2 and 20: the next step would be larger than half of what goes in a watch.
    limits: { perHost: 50/s }
    rules: ${rules}
`;
}

const rules = `
      - { name: never, when: { responseStatus: [418, 489] }, then: park }
      - { name: too-old, when: { responseStatus: 410 }, then: drop }
      - { name: outage, when: { responseStatus: [429, 500, 502-504, none] }, then: republish }`;

/** Statuses of a come-back that the rules republish; 0: no HTTP answer. */
export function isRepublished(responseStatus: number): boolean {
  return responseStatus === 0 || responseStatus === 429 || (responseStatus >= 500 && responseStatus <= 504);
}

/** What a daemon is started with, besides its own path to Redis. */
export function toSettings(stand: {
  readonly serviceUrl: string;
  readonly tokenFile: string;
  readonly lineageKey: string;
  readonly documentFile: string;
}): Readonly<Record<string, string>> {
  return {
    REDRIVER_SERVICE_URL: stand.serviceUrl,
    REDRIVER_SERVICE_TOKEN_FILE: stand.tokenFile,
    REDRIVER_LINEAGE_KEY: stand.lineageKey,
    REDRIVER_DRAINS_FILE: stand.documentFile,
    REDRIVER_REDIS_KEY_PREFIX: keyPrefix,
    REDRIVER_HTTP_HOST: "127.0.0.1",
    REDRIVER_HTTP_PORT: "0",
    REDRIVER_CONSOLE_PORT: "none",
    REDRIVER_LEDGER_SEND_BY: `${times.sendBy}ms`,
    REDRIVER_LEDGER_NETWORK_DELAY: `${times.networkDelay}ms`,
    REDRIVER_LEDGER_MAX_PAGE_AGE: `${ledgerLimits.maxPageAgeMs}ms`,
    REDRIVER_LEDGER_SETTLE_GATE_AGE: "60s",
    REDRIVER_SERVICE_BATCH_TIMEOUT: `${times.batchTimeout}ms`,
    REDRIVER_SERVICE_LIST_TIMEOUT: "3s",
    REDRIVER_SERVICE_DELETE_TIMEOUT: "2s",
    REDRIVER_SERVICE_CONNECT_TIMEOUT: "1s",
    // Small batches: more of them, and more of a page left when something breaks.
    REDRIVER_PUBLISH_MAX_ITEMS: "15",
    REDRIVER_SWEEP_EVERY: `${times.sweepEvery}ms`,
    REDRIVER_PASSES_OVERLAP: "5s",
    REDRIVER_PASSES_ABANDON_AFTER: "4s",
    REDRIVER_SHUTDOWN_SOFT: "4s",
    REDRIVER_SHUTDOWN_HARD: "6s",
    REDRIVER_LOG_LEVEL: "info",
    REDRIVER_LOG_AUDIT: "stdout",
  };
}
