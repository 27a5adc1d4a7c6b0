import { expect, it } from "vitest";
import { sourceKeys } from "../../../../src/job/store/keys.ts";
import type { RedisConnection } from "../../../../src/job/redis/connect.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const keysOf = async (rig: Rig): Promise<readonly string[]> =>
  (await rig.core.redis.command("KEYS", `${rig.core.settings.redis.keyPrefix}:*`)) as readonly string[];

it("a record whose entry another version wrote is held and told, everything beside it is drained, and it goes on when it can be read", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  const seeded = rig.seed(7);
  const foreign = seeded[3] ?? "";
  const { keyPrefix } = rig.core.settings.redis;
  const key = `${sourceKeys(keyPrefix, rig.drain.source.config.id).entryPrefix}${foreign}`;
  const text = JSON.stringify({ v: 2, s: "open", lease: { until: 1 } });
  await rig.core.redis.command("SET", key, text);
  await rig.pass();
  await rig.sweep();
  expect(await rig.core.redis.command("GET", key)).toBe(text);
  expect(rig.receiver.counts().size).toBe(6);
  expect(rig.emulator.dlq.size).toBe(1);
  const told = rig.recordsOf("record:decided").filter(({ dlqId }) => dlqId === foreign);
  expect(told).toMatchObject([{ decision: { then: "hold", reason: "other-version" } }]);
  expect(await rig.drain.source.passes.facts(rig.drain.config.name)).toMatchObject({
    held: 1,
    reasons: { held: { "other-version": 1 } },
  });
  await rig.core.redis.command("DEL", key);
  await rig.fullPass();
  expect(rig.emulator.dlq.size).toBe(0);
  expect([...rig.receiver.counts().values()]).toEqual(Array<number>(7).fill(1));
});

/** Null for what is no object. */
function withMore(text: string): string | null {
  if (!text.startsWith("{")) return null;
  return JSON.stringify({ ...(JSON.parse(text) as object), later: { with: ["more"] } });
}

/** What a later version of the same layout may add: one more field, wherever there is an object. */
async function addFields({ command }: RedisConnection, key: string): Promise<boolean> {
  switch (await command("TYPE", key)) {
    case "string": {
      const text = withMore(String(await command("GET", key)));
      if (text !== null) await command("SET", key, text, "KEEPTTL");
      return text !== null;
    }
    case "hash": {
      const flat = (await command("HGETALL", key)) as readonly string[];
      const members = flat.flatMap((name, at) => {
        const text = at % 2 === 0 ? withMore(flat[at + 1] ?? "") : null;
        return text === null ? [] : [name, text];
      });
      // One of members is a list of objects by name, any other an object itself.
      await command("HSET", key, ...(members.length > 0 ? members : ["later", "more"]));
      return true;
    }
    default:
      return false;
  }
}

it("fields that a later version added to entries, rows and books are passed over", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  const { replicas, redis: connection } = rig.core;
  await replicas.announce({
    replica: "other",
    version: "9.0.0",
    documentHash: "h",
    adoptedAt: 1,
    rejected: null,
    resting: [],
  });
  rig.emulator.faults.add({ kind: "status", operation: "delete", status: 500, name: "deletes" });
  rig.seed(5);
  await rig.pass();
  rig.emulator.faults.remove("deletes");
  const changed = await Promise.all((await keysOf(rig)).map((key) => addFields(connection, key)));
  // Five entries, the source's books and the drain's row at least.
  expect(changed.filter(Boolean).length).toBeGreaterThan(7);
  rig.seed(4);
  await rig.fullPass();
  expect(rig.emulator.dlq.size).toBe(0);
  expect([...rig.receiver.counts().values()]).toEqual(Array<number>(9).fill(1));
  expect((await replicas.all()).map(({ version }) => version)).toEqual(["9.0.0"]);
});
