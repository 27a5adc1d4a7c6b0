import { expect, test } from "vitest";
import { createRedisFitness, createRedisFitnessEvents } from "../../../../src/job/daemon/redis-fitness.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { RedisConnection } from "../../../../src/job/redis/connect.ts";
import type { RedriverEvent } from "../../../../src/job/contracts/events.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

function createTold() {
  const events: RedriverEvent[] = [];
  const clock = createManualClock();
  const told = createRedisFitnessEvents({ emit: (event) => void events.push(event) }, clock);
  return { told, clock, take: () => events.splice(0) };
}

const evicts = { kind: "evicts", message: "expected noeviction, got allkeys-lru" } as const;
const full = (share: number) => ({ kind: "almost-full", message: `got ${share} %` }) as const;

test("what makes Redis unfit is told once, not with every look, also where its numbers change", () => {
  const { told, take } = createTold();
  told.found([]);
  told.found([full(91)]);
  told.found([full(92)]);
  expect(take()).toEqual([{ type: "redis:unfit", problems: ["got 91 %"] }]);
  told.found([full(93), evicts]);
  told.found([evicts, full(93)]);
  expect(take()).toEqual([{ type: "redis:unfit", problems: ["got 93 %", evicts.message] }]);
  told.found([]);
  told.found([]);
  expect(take()).toEqual([{ type: "redis:fit" }]);
  told.found([evicts]);
  expect(take()).toEqual([{ type: "redis:unfit", problems: [evicts.message] }]);
});

test("a Redis that is away is told after two seconds without a look at it, and then once", () => {
  const { told, clock, take } = createTold();
  told.away("ECONNREFUSED");
  clock.advance(1_500);
  // Moments are not added up.
  told.found([]);
  told.away("ECONNREFUSED");
  clock.advance(1_999);
  told.away("ECONNREFUSED");
  expect(take()).toEqual([]);
  clock.advance(1);
  told.away("ECONNREFUSED");
  told.away("ETIMEDOUT");
  expect(take()).toEqual([{ type: "redis:unfit", problems: ["ECONNREFUSED"] }]);
  told.found([]);
  expect(take()).toEqual([{ type: "redis:fit" }]);
});

test("a right that was missing is missing still while Redis does not answer whether it is", async () => {
  const info = "redis_version:7.0.15\r\nrole:master\r\nmaxmemory_policy:noeviction\r\n";
  const missing = JSON.stringify(["asked", [2, "bzpopmin", "NOPERM"]]);
  let reply = (): unknown => missing;
  const asked = {
    keyPrefix: "redriver",
    user: "redriver",
    isReady: () => true,
    whyAway: () => null,
    askMasters: async (name: string) => [{ address: "a", reply: name === "EVAL" ? reply() : info }],
  } as unknown as RedisConnection;
  const fitness = createRedisFitness(asked, { emit: () => undefined }, createManualClock(), () => ["eu"]);
  await fitness.look();
  expect(fitness.problems()?.map(({ message }) => message)).toEqual([expect.stringContaining("+bzpopmin")]);
  reply = () => {
    throw new RedriverError("redis-unavailable", "no answer");
  };
  await fitness.look();
  expect(fitness.isFit()).toBe(false);
  reply = () => JSON.stringify(["asked"]);
  await fitness.look();
  expect(fitness.isFit()).toBe(true);
});
