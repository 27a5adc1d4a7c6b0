import { createServer } from "node:http";
import { onTestFinished } from "vitest";
import { randomIdentities, systemClock } from "../../src/system-world.ts";
import type { DlqId } from "../../src/job/message/dead-letter.ts";
import { sleptFully } from "../../src/job/contracts/clock.ts";
import { isRedriverError } from "../../src/job/contracts/errors.ts";
import type { EventOf, ServiceOperation } from "../../src/job/contracts/events.ts";
import type { MessageService } from "../../src/job/contracts/service.ts";
import type { RedisConnection } from "../../src/job/redis/connect.ts";
import { createCallsInTurn } from "../../src/job/source/calls-in-turn.ts";
import { createPausingService } from "../../src/job/source/pausing-service.ts";
import { createMessageService } from "../../src/job/service/message-service.ts";
import { createRedisCallShares } from "../../src/job/store/call-shares/redis-call-shares.ts";
import { createRedisSourcePauseBook } from "../../src/job/store/source-pauses/redis-source-pauses.ts";
import { source } from "./ledger-stands.ts";
import { testToken } from "./message-service-server.ts";
import { serve } from "./serve.ts";

/** A service over HTTP that answers nothing of worth, as slowly and badly as a test asks. */
export interface SlowService {
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

export async function startSlowService(given: Partial<SlowService> = {}): Promise<SlowService> {
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

export interface Replica {
  readonly service: MessageService;
  readonly shown: EventOf<"source:calls">[];
  /** Calls without a pause, in so many loops, until the test ends. */
  work(loops: number, operations?: readonly ServiceOperation[]): void;
}

/** One replica: its HTTP client, pauses and turns, over the real clock. */
export function startReplica(redis: RedisConnection, { url }: SlowService, maxInFlight = 64): Replica {
  const shown: EventOf<"source:calls">[] = [];
  const timeoutsMs = { list: 10_000, batch: 10_000, delete: 10_000 };
  const parts = { source, clock: systemClock, events: { emit: () => undefined } };
  const turns = createCallsInTurn({
    ...parts,
    shares: createRedisCallShares(redis, source, randomIdentities.token(), maxInFlight),
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
  const book = createRedisSourcePauseBook(redis, source);
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
    work: (loops, operations = ["list"]) =>
      void running.push(...Array.from({ length: loops }, () => loop(operations))),
  };
}
