import type * as fc from "fast-check";
import type { RedisConnection } from "../../../src/job/redis/connect.ts";
import { createRedisCapacity } from "../../../src/job/store/capacity/redis-capacity.ts";
import { createRedisCopyBook } from "../../../src/job/store/copies/redis-copy-book.ts";
import { createRedisLaneBook } from "../../../src/job/store/lanes/redis-lane-book.ts";
import { createRedisFailureBook } from "../../../src/job/store/failures/redis-failure-book.ts";
import { createRedisPassBook } from "../../../src/job/store/passes/redis-pass-book.ts";
import { createRedisSourcePauseBook } from "../../../src/job/store/source-pauses/redis-source-pauses.ts";
import { createRedisSourceBook } from "../../../src/job/store/sources/redis-source-book.ts";
import { onClock, onMovedClock, startOfTime } from "../ledger-stands.ts";
import { createAtWork, type AtWork } from "../at-work.ts";
import { createRedisLedger } from "../../../src/job/store/ledger/redis-ledger.ts";
import { grantLifeMs } from "../../../src/job/contracts/ledger-limits.ts";
import type { PassId, SourceId, Token } from "../../../src/job/contracts/ids.ts";
import type { DrainsDocument } from "../../../src/job/contracts/drains-document.ts";
import { load } from "../loaded-document.ts";
import { limits } from "./limits.ts";
import { createModelService } from "./model-service.ts";
import type { Plan } from "./plan.ts";
import { createTurns, type Turns } from "./turns.ts";
import { createWitness, mostAttempts, type Seen } from "./witness.ts";
import { startWorker, type Installation } from "./worker.ts";

const source = "default" as SourceId;
/** Above every wait that the code has for itself, so that each round may finish something. */
const roundMs = 125_000;
/**
 * What a working lane lets go waits no longer than a record that is refused alone: three times, ten minutes
 * apart, after a window of ten.
 */
const shortRounds = 60;
/** What has no attempts left is kept by a lane that is halted, until nothing was sent for a day. */
const longRoundMs = 90_000_000;
const mostRounds = shortRounds + 2;

/**
 * Works a plan in the order that the scheduler gives, lets everything come to rest, and answers what was
 * broken. Redis is a real server.
 */
export async function runPlan(
  scheduler: fc.Scheduler,
  plan: Plan,
  connection: RedisConnection,
): Promise<{ readonly broken: readonly string[]; readonly seen: Seen; readonly atWork: AtWork }> {
  const turns = createTurns(scheduler, plan);
  const { clock } = turns;
  const service = createModelService(plan, turns);
  const redis = inTime(connection, turns);
  const aging = inTime(
    connection,
    turns,
    onMovedClock(connection, clock, () => clock.now() - startOfTime),
  );
  const ledger = createRedisLedger(aging, source, limits, { epochSeed: () => "one" });
  const witness = createWitness(plan, turns, service, ledger);
  const book = createRedisSourceBook(redis, source, limits.retentionMs);
  await book.learnDates("entered");
  let ids = 0;
  const nextId = (): string => `id-${(ids += 1)}`;
  const identities = { token: () => nextId() as Token, passId: () => nextId() as PassId };
  const atWork = createAtWork();
  const installation: Installation = {
    turns,
    service,
    ledger,
    laneBook: createRedisLaneBook(redis, source, grantLifeMs(limits), identities),
    witness,
    plan,
    document: withLane(documents[plan.unknownOutcome], plan.lane),
    passes: createRedisPassBook(redis, source),
    failures: createRedisFailureBook(redis, source),
    book,
    rests: createRedisSourcePauseBook(redis, source),
    copies: createRedisCopyBook(redis, source, { lifeMs: limits.retentionMs }),
    capacity: createRedisCapacity(redis, identities),
    atWork,
    identities,
  };

  await turns.run(Promise.all(plan.workers.map((planned, index) => workLanes(installation, planned, index))));
  turns.calmDown();
  await turns.run(comeToRest(installation));
  return { broken: await witness.verdict(), seen: witness.seen(), atWork: atWork.most() };
}

/** Redis on the time of the turns: while it works, nobody else has a turn. */
function inTime(
  redis: RedisConnection,
  turns: Turns,
  moved: RedisConnection = onClock(redis, turns.clock),
): RedisConnection {
  return {
    ...moved,
    run: (...call) => turns.outside(moved.run(...call)),
    command: (...call) => turns.outside(moved.command(...call)),
  };
}

/** The lanes of one worker; where it dies another is started in its place. */
async function workLanes(
  installation: Installation,
  { skewMs, lanes }: Plan["workers"][number],
  index: number,
): Promise<void> {
  let started = 0;
  const start = () => startWorker(installation, `worker ${index + 1}.${(started += 1)}`, skewMs);
  let worker = start();
  await Promise.all(
    lanes.map(async (jobs) => {
      for (const { waitMs, task } of jobs) {
        if (waitMs > 0) await installation.turns.clock.sleep(waitMs);
        if (worker.isDead()) worker = start();
        await worker.work(task);
      }
    }),
  );
}

async function comeToRest(installation: Installation): Promise<void> {
  const { turns, service, ledger } = installation;
  const worker = startWorker(installation, "last worker", 0);
  for (let round = 0; round < mostRounds; round += 1) {
    await turns.clock.sleep(round < shortRounds ? roundMs : longRoundMs);
    await worker.work({ kind: "sweep" });
    await worker.work({ kind: "pass", drain: round % 2 === 0 ? "main" : "twin" });
    const { open, pendingDelete } = await ledger.summary();
    const { views } = await ledger.peek(service.listed().map(({ dlqId }) => dlqId));
    const isAtRest = views.every(({ state }) => state === "parked");
    if (open === 0 && pendingDelete === 0 && isAtRest && service.onTheirWay() === 0) return;
  }
}

const documents = { republish: toDocument("republish"), park: toDocument("park") };

function withLane(document: DrainsDocument, lane: Plan["lane"]): DrainsDocument {
  if (lane === null) return document;
  return { ...document, drains: document.drains.map((drain) => ({ ...drain, lane })) };
}

/** Two drains that select the same, so that passes overlap. */
function toDocument(unknownOutcome: Plan["unknownOutcome"]): DrainsDocument {
  const rules = `rules: [{ name: no-more, when: { responseStatus: 410 }, then: drop }, { name: outage, when: { responseStatus: 503 }, then: republish }]`;
  return load(`version: 1
archive: { dir: /archive, keep: 30d, volume: ephemeral }
sources: { default: {} }
defaults:
  mode: live
  schedule: { every: 30s, full: 5m }
  minAge: 1s
  attempts: { max: ${mostAttempts}, wait: [1s] }
  lane: none
  limits: { publish: none, perHost: none, perPass: none, perDay: none }
  unknownOutcome: ${unknownOutcome}
  beforeExpiry: { then: nothing }
drains:
  main: { ${rules} }
  twin: { ${rules} }
`).document;
}
