import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { useRedis } from "../../../support/redis.ts";
import { randomIdentities, systemClock } from "../../../../src/system-world.ts";
import { sleptFully } from "../../../../src/job/contracts/clock.ts";
import { isRedriverError } from "../../../../src/job/contracts/errors.ts";
import type { EventOf, ServiceOperation } from "../../../../src/job/contracts/events.ts";
import type { MessageService } from "../../../../src/job/contracts/service.ts";
import type { RedisConnection } from "../../../../src/job/redis/connect.ts";
import { createCallsInTurn } from "../../../../src/job/source/calls-in-turn.ts";
import { createPausingService } from "../../../../src/job/source/pausing-service.ts";
import { createMessageService } from "../../../../src/job/service/message-service.ts";
import { createRedisCallShares } from "../../../../src/job/store/call-shares/redis-call-shares.ts";
import { createRedisSourcePauseBook } from "../../../../src/job/store/source-pauses/redis-source-pauses.ts";
import { source } from "../../../support/ledger-stands.ts";
import { testToken } from "../../../support/message-service-server.ts";
import { serve } from "../../../support/serve.ts";

const redis = useRedis();

/** A service over HTTP that answers nothing of worth, as slowly and badly as a test asks. */
interface SlowService {
  readonly url: string;
  latencyMs: number;
  /** 0 to 1, of calls that get a 503. */
  failing: number;
  /** Of calls that list or delete, in each second; the headers come with a 429 alone, or always. */
  perSecond: number;
  isNamedAlways: boolean;
  inFlight: number;
  readonly calls: { readonly at: number; readonly operation: ServiceOperation; readonly status: number }[];
}

async function startSlowService(given: Partial<SlowService> = {}): Promise<SlowService> {
  let second = 0;
  let used = 0;
  const service: SlowService = {
    url: "",
    latencyMs: 0,
    isNamedAlways: false,
    failing: 0,
    perSecond: Infinity,
    inFlight: 0,
    calls: [],
    ...given,
  };
  const isLimited = (at: number): boolean => {
    if (Math.floor(at / 1_000) !== second) used = 0;
    second = Math.floor(at / 1_000);
    return (used += 1) > service.perSecond;
  };
  const operations: Readonly<Record<string, ServiceOperation>> = {
    GET: "list",
    POST: "batch",
    DELETE: "delete",
  };
  const bodies = { list: '{"messages":[]}', batch: '[{"messageId":"msg_1"}]', delete: '{"deleted":1}' };
  const server = createServer((request, response) => {
    const at = Date.now();
    const operation = operations[request.method ?? ""] ?? "list";
    service.inFlight += 1;
    request.resume();
    const limited = operation !== "batch" && isLimited(at);
    const status = limited ? 429 : Math.random() < service.failing ? 503 : 200;
    setTimeout(() => {
      service.inFlight -= 1;
      service.calls.push({ at, operation, status });
      const limit = { "burst-ratelimit-limit": service.perSecond, "burst-ratelimit-reset": second + 1 };
      response
        .writeHead(status, limited || service.isNamedAlways ? limit : {})
        .end(status === 200 ? bodies[operation] : "{}");
    }, service.latencyMs);
  });
  const { url, close } = await serve(server);
  onTestFinished(close);
  return Object.assign(service, { url });
}

/** One replica: its HTTP client, pauses and turns, over the real clock. */
function startReplica(connection: RedisConnection, { url }: SlowService, maxInFlight = 64) {
  const shown: EventOf<"source:calls">[] = [];
  const timeoutsMs = { list: 10_000, batch: 10_000, delete: 10_000 };
  const parts = { source, clock: systemClock, events: { emit: () => undefined } };
  const turns = createCallsInTurn({
    ...parts,
    shares: createRedisCallShares(connection, source, randomIdentities.token(), maxInFlight),
    maxInFlight,
    events: { emit: (event) => void (event.type === "source:calls" && shown.push(event)) },
  });
  const called = createMessageService({
    baseUrl: url,
    token: () => testToken,
    timeoutsMs,
    connectTimeoutMs: 5_000,
    settings: { address: "", token: "" },
    maxAnswerBytes: 1_048_576,
    clock: systemClock,
    onAnswer: turns.answered,
    onLimit: turns.limited,
  });
  const book = createRedisSourcePauseBook(connection, source);
  const paused = createPausingService({ ...parts, service: called, takeTurn: turns.take, book, timeoutsMs });
  const service: MessageService = {
    ...paused.service,
    // As a page does it, but for the begin.
    async publish(items, mayBeSent, signal) {
      const endTurn = await turns.take("batch", signal);
      return paused.service.publish(items, mayBeSent, signal).finally(endTurn);
    },
  };
  const stopped = new AbortController();
  const running: Promise<void>[] = [];
  const calls: Readonly<Record<ServiceOperation, () => Promise<unknown>>> = {
    list: () => service.list({ select: {}, count: 1 }, stopped.signal),
    batch: () => service.publish(["{}"], () => true, stopped.signal),
    delete: () => service.remove(["1-0" as DlqId], stopped.signal),
  };
  const loop = async (operations: readonly ServiceOperation[]): Promise<void> => {
    for (let turn = 0; !stopped.signal.aborted; turn += 1) {
      try {
        await calls[operations[turn % operations.length]!]();
      } catch (error) {
        const retryAt = isRedriverError(error) ? (error.retryAt ?? 0) : 0;
        await sleptFully(systemClock, Math.max(20, retryAt - Date.now()), stopped.signal);
      }
    }
  };
  onTestFinished(async () => {
    turns.close();
    await called.close();
    stopped.abort();
    await Promise.all(running);
  });
  return {
    service,
    shown,
    /** Calls without a pause, in so many loops, until the test ends. */
    work: (loops: number, operations: readonly ServiceOperation[] = ["list"]) =>
      void running.push(...Array.from({ length: loops }, () => loop(operations))),
  };
}

const limitOf = (one: ReturnType<typeof startReplica>): number => one.shown.at(-1)?.limits.list ?? 0;

/** A pause of the source takes 20 s, and other tests may stop this process for a while. */
const patient = { timeout: 45_000 };

describe("one replica's calls in flight", () => {
  it("go alone at once, and nothing asks Redis for them while they come one by one", async () => {
    const service = await startSlowService();
    const shared = redis.fresh();
    let asked = 0;
    const run: typeof shared.run = (script, ...call) => {
      if (script.name.startsWith("call-shares")) asked += 1;
      return shared.run(script, ...call);
    };
    const one = startReplica({ ...shared, run }, service);
    for (let call = 0; call < 3; call += 1) await one.service.list({ select: {}, count: 1 });
    expect(service.calls).toHaveLength(3);
    expect(asked).toBe(0);
  });

  it("are few while calls fail, and many again afterwards", async () => {
    const service = await startSlowService({ latencyMs: 100 });
    const one = startReplica(redis.fresh(), service);
    one.work(40);
    await expect.poll(() => limitOf(one), patient).toBeGreaterThanOrEqual(24);
    service.failing = 0.3;
    await expect.poll(() => limitOf(one), patient).toBeLessThanOrEqual(4);
    service.failing = 0;
    await expect.poll(() => limitOf(one), patient).toBeGreaterThanOrEqual(16);
  });

  it("that wait go on to their end when they are stopped", async () => {
    const service = await startSlowService({ latencyMs: 60_000 });
    const one = startReplica(redis.fresh(), service);
    one.work(8);
    await expect.poll(() => service.inFlight).toBeGreaterThan(0);
    const stop = new AbortController();
    const listing = one.service.list({ select: {}, count: 1 }, stop.signal);
    const publishing = one.service.publish(["{}"], () => true, stop.signal);
    stop.abort();
    await expect(listing).rejects.toMatchObject({ code: "stopped" });
    expect(await publishing).toMatchObject({ kind: "not-sent", why: "stopped" });
  });

  it("are deletes and batches before lists, and now and then a list", async () => {
    const service = await startSlowService({ latencyMs: 20 });
    const one = startReplica(redis.fresh(), service, 1);
    one.work(10, ["list"]);
    one.work(4, ["delete"]);
    one.work(4, ["batch"]);
    await expect.poll(() => service.calls.length).toBeGreaterThan(100);
    const lists = service.calls.slice(20).filter(({ operation }) => operation === "list").length;
    expect(lists / (service.calls.length - 20)).toBeGreaterThan(0.08);
    expect(lists / (service.calls.length - 20)).toBeLessThan(0.25);
    await one.service.remove(["1-0" as DlqId]);
  });
});

it("several replicas ask Redis for no moments while they need little of a limit", async () => {
  const service = await startSlowService({ latencyMs: 100, perSecond: 1_000, isNamedAlways: true });
  const shared = redis.fresh();
  let moments = 0;
  const run: typeof shared.run = (script, ...call) => {
    if (script.name === "call-shares:take") moments += 1;
    return shared.run(script, ...call);
  };
  startReplica({ ...shared, run }, service).work(4);
  await expect.poll(() => service.calls.length).toBeGreaterThan(60);
  expect(moments).toBe(0);
  service.perSecond = 20;
  await expect.poll(() => moments).toBeGreaterThan(0);
  expect(service.calls.filter(({ status }) => status === 429).length).toBeLessThan(10);
});
