import { expect, it } from "vitest";
import { createRig } from "../support/rig.ts";
import { useRedis } from "../support/redis.ts";

const redis = useRedis();

it("an account that is drained under another id halts, whose ledger knows nothing of what was published", async () => {
  const before = await createRig({ redisUrl: redis.url() });
  before.seed(3);
  expect(await before.pass()).toMatchObject({ tally: { republished: 3 } });

  const renamed = await createRig({ redisUrl: redis.url(), twinOf: before, source: "{ id: eu }" });
  before.seed(2);
  await expect(renamed.pass()).rejects.toMatchObject({
    code: "source-rebound",
    message: expect.stringContaining("give sources.default that id (id: default)") as string,
  });
  expect(renamed.drain.source.health.current()).toMatchObject({ state: "halted", code: "source-rebound" });
  expect(before.emulator.dlq.size).toBe(2);

  expect(await before.pass()).toMatchObject({ outcome: "complete" });
});

it("an id that is given another account's address halts", async () => {
  const before = await createRig({ redisUrl: redis.url() });
  await before.pass();
  const other = await createRig({ redisUrl: redis.url() });
  const moved = await createRig({
    redisUrl: redis.url(),
    twinOf: { ...before, emulator: other.emulator },
  });
  await expect(moved.pass()).rejects.toMatchObject({
    code: "source-rebound",
    message: expect.stringContaining("was used with another address") as string,
  });
});
