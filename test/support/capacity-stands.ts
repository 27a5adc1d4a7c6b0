import { createMemoryCapacity } from "./memory/memory-capacity.ts";
import { createRedisCapacity } from "../../src/store/capacity/redis-capacity.ts";
import type { DrainName, PassId, SourceId } from "../../src/ports/ids.ts";
import type { Capacity, CapacityQuery, CapacityRequest } from "../../src/ports/limits.ts";
import { startOfTime, withClock } from "./ledger-stands.ts";
import type { TestRedis } from "./redis.ts";

/** Capacity with the clock in the test's hand, as two replicas see it. */
export interface CapacityStand {
  readonly capacity: Capacity;
  readonly twin: Capacity;
  now(): number;
  advance(ms: number): Promise<void>;
}

function memoryStand(): Promise<CapacityStand> {
  let now = startOfTime;
  const capacity = createMemoryCapacity({ now: () => now });
  return Promise.resolve({
    capacity,
    twin: capacity,
    now: () => now,
    advance: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  });
}

/** The scripts' own text on a real server, except that TIME is read from a key that only the test writes. */
async function redisStand(redis: TestRedis): Promise<CapacityStand> {
  const connection = redis.fresh();
  const clockKey = `${connection.keyPrefix}:clock`;
  let now = startOfTime;
  let tokens = 0;
  await connection.command("SET", clockKey, now);
  const runner = withClock(connection, clockKey);
  const create = (): Capacity =>
    createRedisCapacity(
      { keyPrefix: connection.keyPrefix, run: runner.run },
      { token: () => `token-${(tokens += 1)}` },
    );
  return {
    capacity: create(),
    twin: create(),
    now: () => now,
    advance: async (ms) => {
      now += ms;
      await connection.command("SET", clockKey, now);
    },
  };
}

export function capacityStandsFor(redis: TestRedis): readonly {
  readonly name: string;
  readonly create: () => Promise<CapacityStand>;
}[] {
  return [
    { name: "memory", create: memoryStand },
    { name: "Redis", create: () => redisStand(redis) },
  ];
}

export const pass = (text: string): PassId => text as PassId;

/** A query of the drain `orders`; requests to one host by default. */
export function query(over: Partial<CapacityQuery>): CapacityQuery {
  return {
    source: "eu" as SourceId,
    drain: "orders" as DrainName,
    passId: pass("p1"),
    limits: {},
    requests: [],
    ...over,
  };
}

export function requests(count: number, over: Partial<CapacityRequest> = {}): readonly CapacityRequest[] {
  return Array.from({ length: count }, () => ({
    host: "api.example.com",
    rule: "outage",
    post: "first",
    ...over,
  }));
}

export async function granted(capacity: Capacity, asked: CapacityQuery): Promise<number> {
  const { verdicts } = await capacity.take(asked);
  return verdicts.filter(({ kind }) => kind === "granted").length;
}
