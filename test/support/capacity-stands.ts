import { createRedisCapacity } from "../../src/job/store/capacity/redis-capacity.ts";
import type { DrainName, PassId, SourceId } from "../../src/job/contracts/ids.ts";
import type { Capacity, CapacityQuery, CapacityRequest } from "../../src/job/contracts/capacity.ts";
import { onClock, startOfTime } from "./ledger-stands.ts";
import type { RedisConnection } from "../../src/job/redis/connect.ts";

/** Capacity with the clock in the test's hand, as two replicas see it. */
export interface CapacityStand {
  readonly capacity: Capacity;
  readonly twin: Capacity;
  now(): number;
  advance(ms: number): Promise<void>;
}

/** The scripts' own text on a real server, except that the test gives the time. */
export function createCapacityStand(connection: RedisConnection): CapacityStand {
  let now = startOfTime;
  let tokens = 0;
  const { keyPrefix, run } = onClock(connection, { now: () => now });
  const create = (): Capacity =>
    createRedisCapacity({ keyPrefix, run }, { token: () => `token-${(tokens += 1)}` });
  return {
    capacity: create(),
    twin: create(),
    now: () => now,
    advance: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  };
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
