import type { ReplicaRecord, Replicas } from "../../contracts/replicas.ts";
import { sharedKey } from "../../redis/key-prefix.ts";
import { luaScript } from "../../redis/script-runner.ts";
import { serverTimeLua } from "../server-time.lua.ts";
import type { StoreRedis } from "../connection-needs.ts";

/** Four announcements at 15 s: one may be late and one lost before a living daemon is taken for dead. */
const replicaLifeMs = 60_000;

/**
 * The registry is a hash: replica → JSON of its record, `seenAt` by Redis time.
 *
 * KEYS: 1 the registry. ARGV: 1 how long a record lives, ms, 2 the replica, 3 its record (JSON, without seenAt). Returns:
 * nothing. Effects: the record is there, seen now; the registry vanishes when nobody announces for a record's life. Run
 * twice: seen a little later.
 */
const announceScript = luaScript("replicas:announce")`${serverTimeLua}
local seen = string.gsub(ARGV[3], '}$', ',"seenAt":' .. string.format('%.0f', now) .. '}')
redis.call('HSET', KEYS[1], ARGV[2], seen)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
`;

/** KEYS and ARGV: 1 as above. Returns: the living records' JSON. Effects: records that are too old are dropped. */
const allScript = luaScript("replicas:all")`${serverTimeLua}
local living = {}
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if now - cjson.decode(all[i + 1]).seenAt >= tonumber(ARGV[1]) then
    redis.call('HDEL', KEYS[1], all[i])
  else
    living[#living + 1] = all[i + 1]
  end
end
return living
`;

/** The living daemons of an installation. Fails with `redis-unavailable`. */
export function createRedisReplicas(redis: StoreRedis): Replicas {
  const key = sharedKey(redis.keyPrefix, "replicas");
  return {
    async announce(record) {
      await redis.run(announceScript, [key], [replicaLifeMs, record.replica, JSON.stringify(record)]);
    },
    async leave(replica) {
      await redis.command("HDEL", key, replica);
    },
    async all() {
      const texts = (await redis.run(allScript, [key], [replicaLifeMs])) as readonly string[];
      const records = texts.map((text) => JSON.parse(text) as ReplicaRecord);
      return records.toSorted((one, other) => (one.replica < other.replica ? -1 : 1));
    },
  };
}
