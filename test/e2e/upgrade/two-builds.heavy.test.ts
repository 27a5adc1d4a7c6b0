import { beforeAll, describe, expect, it } from "vitest";
import type { Emulator } from "../../../dev/emulator/index.ts";
import { runToEnd, type LogLine } from "../../support/command.ts";
import { createEnv, startDaemon, type StartedDaemon } from "../../support/daemon.ts";
import { impatient } from "../../support/drain-stage.ts";
import { buildFormer, hasCommit } from "../../support/former-build.ts";
import { useRedis } from "../../support/redis.ts";
import { seedLetters, startService } from "../../support/service.ts";

/** Of a time when the ledger's index of parked entries had the first id of each batch, and passes were adopted. */
const formerCommit = "dcb39d6b5abf4785d4d7df3485184a2840d6c487";
const isHistoryHere = hasCommit(formerCommit);

const redis = useRedis();

const document = `
version: 1
sources: { default: {} }
drains:
  main:
    mode: live
    schedule: { every: 500ms, full: 3s }
    lane: { canary: 50, watch: 4s, haltAt: 90%, probeEvery: 4s }
    limits: { publish: 200/s, perHost: 200/s }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: never, when: { responseStatus: 489 }, then: park }
      - { name: outage, when: { responseStatus: [500-599, none] }, then: republish }
`;

/** Every so many messages fail once more, so that they come back to whichever build lists them. */
const comesBackEvery = 20;

async function setUp() {
  // The service forgets ids at once: only the ledger keeps a message from being sent twice.
  const { emulator, receiver } = await startService({ dedupWindowMs: 1 });
  const { env } = createEnv({
    emulator,
    redisUrl: redis.url(),
    document,
    env: { ...impatient, REDRIVER_LOG_LEVEL: "debug" },
  });
  /** Bodies. */
  const delivered = new Set<string>();
  const failedOnce = new Set<string>();
  let seeded = 0;
  receiver.answer = ({ body }) => {
    const isSecond = failedOnce.has(body);
    if (!isSecond && Number(body) % comesBackEvery === 0) {
      failedOnce.add(body);
      return 503;
    }
    delivered.add(body);
    return 200;
  };
  const seed = (count: number, responseStatus = 503): void => {
    const url = `${receiver.url}/hook`;
    seedLetters(emulator, count, () => ({ url, responseStatus, body: String((seeded += 1)) }), {
      everyMs: 10,
    });
  };
  /** More comes in all the time, so that both builds have work. */
  const feedUntil = (what: string, count: () => number, least: number): Promise<void> => {
    const feedAndCount = (): number => {
      seed(8);
      return count();
    };
    const often = { timeout: 40_000, interval: 200, message: what };
    return expect.poll(feedAndCount, often).toBeGreaterThanOrEqual(least);
  };
  return { emulator, env, seed, seeded: () => seeded, delivered, feedUntil };
}

const isBatch = ({ event, operation, outcome }: LogLine): boolean =>
  event === "service:answered" && operation === "batch" && outcome === "ok";
const batchesOf = ({ log }: StartedDaemon): number => log.filter(isBatch).length;

/** Ended by SIGTERM, with 0, and without a word of what has no code. */
async function endWell(daemon: StartedDaemon): Promise<void> {
  daemon.child.kill("SIGTERM");
  const { exitCode, err } = await daemon.ended;
  const bad = daemon.log.filter(
    ({ level, code }) =>
      level === "fatal" ||
      code === "unexpected" ||
      code === "invariant-broken" ||
      (level === "error" && code === undefined),
  );
  expect({ exitCode, err, bad }).toEqual({ exitCode: 0, err: "", bad: [] });
}

/** Dead letters of which the service took more than one message, by the ids that these came under. */
function acceptedMoreThanOnce(emulator: Emulator): readonly string[] {
  const times = new Map<string, number>();
  for (const { deduplicationId = "" } of emulator.journal.entries("accepted")) {
    const dlqId = /^redriver-(\d+-\d+)/.exec(deduplicationId)?.[1] ?? "an id that is not redriver's";
    times.set(dlqId, (times.get(dlqId) ?? 0) + 1);
  }
  return [...times].filter(([, count]) => count > 1).map(([dlqId, count]) => `${dlqId}: ${count}`);
}

describe.skipIf(!isHistoryHere)("a former build and this one", () => {
  let former: string;
  beforeAll(() => {
    former = buildFormer(formerCommit);
  });

  it("work side by side on one Redis, through a rollout and back, and deliver each dead letter once", async () => {
    const { emulator, env, seed, seeded, delivered, feedUntil } = await setUp();
    const parked = 5;
    /** What is begun and published while the other build joins stays in the queue until this one has ended. */
    const holdDeletes = (): void => {
      emulator.faults.add({ kind: "status", operation: "delete", status: 503, name: "held" });
      // An intent that only a takeover ends.
      emulator.faults.add({
        kind: "drop-answer",
        operation: "batch",
        when: "before",
        count: 1,
        name: "lost",
      });
    };
    const letDeletes = (): void => ["held", "lost"].forEach((name) => emulator.faults.remove(name));

    const first = await startDaemon(env, former);
    seed(parked, 489);
    await feedUntil("the former build delivers alone", () => delivered.size, 40);

    holdDeletes();
    const second = await startDaemon(env);
    await feedUntil("this build publishes beside it", () => batchesOf(second), 3);
    await endWell(first);
    letDeletes();
    await feedUntil("this build goes on alone", () => delivered.size, delivered.size + 60);

    holdDeletes();
    // A row that the former build does not know.
    const pause = ["pause", "--host", "other.example.com", "--for", "1h", "--reason", "repair"];
    expect(await runToEnd(pause, env)).toMatchObject({ exitCode: 0 });
    const back = await startDaemon(env, former);
    await feedUntil("the former build publishes beside it again", () => batchesOf(back), 3);
    await endWell(second);
    letDeletes();
    await expect.poll(() => emulator.dlq.size, { timeout: 60_000, interval: 100 }).toBe(parked);
    await emulator.idle();
    await endWell(back);

    const met = (name: string): number =>
      emulator.journal.entries("fault").filter((entry) => entry.name === name).length;
    expect([met("lost"), Math.min(met("held"), 4)]).toEqual([2, 4]);
    expect(acceptedMoreThanOnce(emulator)).toEqual([]);
    const all = Array.from({ length: seeded() - parked }, (_, index) => String(index + 1 + parked));
    expect([...delivered].toSorted()).toEqual(all.toSorted());
  }, 180_000);
});
