/**
 * What every case of the matrix works on: two sources whose dead letters pass through everything that the
 * pipeline, the sweep and the archive do, and what has to become of each. It is the same every time; only the
 * place of death differs.
 *
 *   main, orders    several batches; one message is too large, so its batch is bisected; some come back once; one POST meets a 429
 *   main, mixed     drops, parks, parks that rules have lifted, copies near expiry
 *   main, guarded   held by an index until its backlog is gone
 *   main, lane      tried with two first: one comes back, one is too large for a batch; halted, probed, tried again, and let go
 *   main, left      no pass for two minutes: the sweep looks at what a worker left there half done (leave-behind.ts)
 *   main, nobody's  selected by no drain, near expiry: copied by the census
 *   second, whole   lists everything, at first in circles, so a worker leaves its window; what is delivered is learned; an answer
 *                   is lost, a delete fails, another one works and says it did not
 *   both            one delete in five works, and its answer is lost
 */
import type { FaultDefinition } from "../../dev/emulator/index.ts";

/**
 * `delivered`: accepted once and deleted. `dropped`: in the archive and deleted. `parked`, `refused`,
 * `copied`: still in the DLQ, never accepted; in the ledger as parked, in the ledger as refused, in the
 * archive as a copy.
 */
export type Ending = "delivered" | "dropped" | "parked" | "refused" | "copied";
export type SourceName = "main" | "second";

/** How a worker that died before the daemon began left it. */
export type Leftover =
  | "begun"
  | "sent"
  | "published"
  | "drop-begun"
  | "drop-archived"
  | "discard-begun"
  | "parked-by-rules";

export interface ScenarioLetter {
  /** In its body, so that its deliveries are known again. */
  readonly key: string;
  readonly source: SourceName;
  readonly dlqId: string;
  readonly ending: Ending;
  readonly leftover: Leftover | null;
  /** Fails at its receiver once after it was redriven. */
  readonly comesBack: boolean;
  readonly fields: Readonly<Record<string, unknown>>;
}

const hourMs = 3_600_000;
/** The largest message that the emulator takes. */
export const maxMessageBytes = 2_000;

interface Group {
  readonly name: string;
  readonly count: number;
  /** For many windows and pages at once. */
  readonly countTurnedUp?: number;
  readonly source?: SourceName;
  /** Of its destination: what its drain selects. A topic would not do, because what comes back has none. */
  readonly path: string;
  readonly status: number;
  readonly ending: Ending;
  readonly ageMs?: number;
  readonly leftover?: Leftover;
  readonly comesBack?: boolean;
  readonly bodyBytes?: number;
}

const nearExpiryMs = 62 * hourMs;
const groups: readonly Group[] = [
  { name: "order", count: 8, countTurnedUp: 28, path: "orders", status: 503, ending: "delivered" },
  { name: "large", count: 1, path: "orders", status: 503, ending: "refused", bodyBytes: 3_000 },
  { name: "back", count: 2, path: "orders", status: 503, ending: "delivered", comesBack: true },
  { name: "late", count: 5, countTurnedUp: 12, path: "orders", status: 503, ending: "delivered" },
  { name: "old", count: 4, path: "mixed", status: 410, ending: "dropped" },
  { name: "broken", count: 2, path: "mixed", status: 422, ending: "parked" },
  { name: "aged", count: 2, path: "mixed", status: 500, ending: "copied", ageMs: nearExpiryMs },
  {
    name: "again",
    count: 2,
    path: "mixed",
    status: 503,
    ending: "delivered",
    leftover: "parked-by-rules",
  },
  { name: "guarded", count: 3, countTurnedUp: 12, path: "guarded", status: 503, ending: "delivered" },
  // The sample of two is the second and the fifth of them.
  { name: "lane-first", count: 1, path: "lane", status: 503, ending: "delivered" },
  { name: "lane-back", count: 1, path: "lane", status: 503, ending: "delivered", comesBack: true },
  { name: "lane-next", count: 2, path: "lane", status: 503, ending: "delivered" },
  { name: "lane-large", count: 1, path: "lane", status: 503, ending: "refused", bodyBytes: 3_000 },
  { name: "lane-last", count: 1, path: "lane", status: 503, ending: "delivered" },
  { name: "begun", count: 3, path: "left", status: 503, ending: "delivered", leftover: "begun" },
  { name: "sent", count: 3, path: "left", status: 503, ending: "delivered", leftover: "sent" },
  { name: "done", count: 2, path: "left", status: 503, ending: "delivered", leftover: "published" },
  { name: "torn", count: 2, path: "left", status: 410, ending: "dropped", leftover: "drop-begun" },
  { name: "kept", count: 2, path: "left", status: 410, ending: "dropped", leftover: "drop-archived" },
  { name: "given-up", count: 2, path: "left", status: 503, ending: "dropped", leftover: "discard-begun" },
  { name: "nobody", count: 2, path: "nobodys", status: 503, ending: "copied", ageMs: nearExpiryMs },
  {
    name: "second",
    count: 8,
    countTurnedUp: 24,
    source: "second",
    path: "second",
    status: 503,
    ending: "delivered",
  },
];

/** Between two letters, ms: windows with times of their own need more. */
const apartMs = 1;
const apartTurnedUpMs = 1_000;

/** Everything that is seeded. `receiverUrl` takes what is delivered; `now`: Unix ms. */
export function createLetters(
  receiverUrl: string,
  now: number,
  isTurnedUp: boolean,
): readonly ScenarioLetter[] {
  let sequence = 0;
  const stepMs = isTurnedUp ? apartTurnedUpMs : apartMs;
  const countOf = ({ count, countTurnedUp = count }: Group): number => (isTurnedUp ? countTurnedUp : count);
  return groups.flatMap((group) =>
    Array.from({ length: countOf(group) }, (_, index): ScenarioLetter => {
      const { source = "main", path, status, ending, ageMs = hourMs, leftover = null } = group;
      const key = `${group.name}-${index}`;
      const enteredAt = now - ageMs + (sequence += 1) * stepMs;
      const padding = "x".repeat(group.bodyBytes ?? 0);
      return {
        key,
        source,
        dlqId: `${enteredAt}-0`,
        ending,
        leftover,
        comesBack: group.comesBack ?? false,
        fields: {
          dlqId: `${enteredAt}-0`,
          url: `${receiverUrl}/${path}`,
          createdAt: enteredAt - 5_000,
          responseStatus: status,
          maxRetries: 0,
          body: JSON.stringify({ key, padding }),
        },
      };
    }),
  );
}

/** One delete in five works and nobody hears of it, as long as a case lasts. */
const lostDeletes: FaultDefinition = {
  kind: "drop-answer",
  name: "lost-delete",
  operation: "delete",
  probability: 0.2,
};

/** How the emulators misbehave from the start. */
export const faults: Readonly<Record<SourceName, readonly FaultDefinition[]>> = {
  main: [
    { kind: "status", name: "too-many", operation: "batch", status: 429, limit: "burst", count: 1 },
    lostDeletes,
  ],
  second: [
    lostDeletes,
    { kind: "drop-answer", name: "lost-answer", operation: "batch", count: 1 },
    { kind: "status", name: "failed-delete", operation: "delete", status: 500, count: 1 },
    { kind: "delete-works-answers-500", name: "lying-delete", operation: "delete", count: 1 },
    { kind: "looping-cursor", name: "loop", operation: "list", count: 24 },
  ],
};

export const indexId = "demo";

export interface Places {
  readonly urls: Readonly<Record<SourceName, string>>;
  readonly receiverUrl: string;
  readonly archiveDir: string;
  /** Unix ms at which the case begins. */
  readonly now: number;
}

/**
 * Long after the sweep is done with `left`. What it could not send is no longer in doubt then, but due like
 * any other dead letter: it waits for a pass.
 */
const leftPassAfterMs = 120_000;

/** The shortest. */
const watchMs = 2_000;
/**
 * Where nothing dies a lane is let go after its canaries, the wait for a probe, the probe and new canaries.
 * One more is for what comes back then.
 */
export const lanePathMs = 5 * (watchMs + 1_000);

/** The minute of a moment, once a day. */
function toCron(at: number): string {
  const moment = new Date(at);
  return `${moment.getUTCMinutes()} ${moment.getUTCHours()} * * *`;
}

export function toDocument({ urls, receiverUrl, archiveDir, now }: Places): string {
  return `
version: 1
archive: { dir: ${archiveDir}, keep: 30d }
sources:
  main: { url: ${urls.main}, token: { env: MAIN_TOKEN }, dedupWindow: 100s, retention: 3d, census: 2s }
  second: { url: ${urls.second}, token: { env: SECOND_TOKEN }, dedupWindow: 100s, retention: 3d, census: 1h, maxParallelism: 1, watchDeliveries: true }
indexes:
  demo: { id: ${indexId}, credentials: { user: { env: STATS_USER }, password: { env: STATS_PASSWORD } }, schedule: { every: 1s } }
defaults:
  mode: live
  schedule: { every: 1s, full: 3s }
  minAge: 1s
  attempts: { max: 5, wait: [1s], then: park }
  lane: none
  limits: { publish: 500/s, perHost: none, perPass: none, perDay: none }
  beforeExpiry: { within: 12h, then: archive }
drains:
  orders:
    source: main
    select: { url: "${receiverUrl}/orders" }
    rules:
      - { name: outage, when: { responseStatus: 500-599 }, then: republish }
  mixed:
    source: main
    select: { url: "${receiverUrl}/mixed" }
    rules:
      - { name: gone, when: { responseStatus: 410 }, then: drop }
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
  guarded:
    source: main
    select: { url: "${receiverUrl}/guarded" }
    guards:
      - { index: demo, hold: "pending_index_count > 10", resume: "< 5" }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
  lane:
    source: main
    # What it holds is called for; what comes back is listed every six seconds.
    schedule: { every: 2s, full: 6s }
    select: { url: "${receiverUrl}/lane" }
    lane: { canary: 2, watch: ${watchMs}ms, haltAt: 40%, probeEvery: ${watchMs}ms }
    # None: a canary has one second, which a busy machine may not have for it.
    rules:
      - { name: outage, when: { responseStatus: [500-599, none] }, then: republish }
  left:
    source: main
    schedule: { cron: "${toCron(now + leftPassAfterMs)}" }
    select: { url: "${receiverUrl}/left" }
    rules:
      - { name: gone, when: { responseStatus: 410 }, then: drop }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
  whole:
    source: second
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
}

/**
 * About the shortest times that the settings allow: a takeover after 2 s + 3 s + 15 s, a horizon of 100 s − 2
 * s − 1 s − 45 s, 10 s + 20 s for a grant.
 */
export const settings: Readonly<Record<string, string>> = {
  REDRIVER_HTTP_HOST: "127.0.0.1",
  REDRIVER_HTTP_PORT: "0",
  REDRIVER_CONSOLE_PORT: "none",
  REDRIVER_LOG_LEVEL: "debug",
  REDRIVER_LEDGER_SEND_BY: "2s",
  REDRIVER_LEDGER_NETWORK_DELAY: "1s",
  REDRIVER_LEDGER_MAX_PAGE_AGE: "10s",
  REDRIVER_LEDGER_SETTLE_GATE_AGE: "60s",
  REDRIVER_SERVICE_BATCH_TIMEOUT: "3s",
  REDRIVER_PUBLISH_MAX_ITEMS: "6",
  REDRIVER_SWEEP_EVERY: "1s",
  REDRIVER_SHUTDOWN_SOFT: "2s",
  REDRIVER_SHUTDOWN_HARD: "6s",
  REDRIVER_LINEAGE_KEY: "a-key-of-the-crash-matrix-alone",
};
/** For the worker that leaves things behind: what it is to send is sent, however busy the machine is. */
export const patientSettings: Readonly<Record<string, string>> = {
  ...settings,
  REDRIVER_LEDGER_SEND_BY: "10s",
  REDRIVER_SERVICE_BATCH_TIMEOUT: "10s",
};
export const dedupWindowMs = 100_000;
export const takeoverAfterMs = 20_000;
export const horizonMs = 52_000;
/** As contracts/ledger-limits.ts has it, of the settings above: then a grant whose worker died is forgotten. */
export const grantLifeMs = 25_000;
export const sweepEveryMs = 1_000;
export const shutdownHardMs = 6_000;
