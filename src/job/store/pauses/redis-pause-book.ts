import type { PauseBook, PauseRecord, PauseTarget } from "../../contracts/pauses.ts";
import type { SourceId } from "../../contracts/ids.ts";
import { luaScript, parseReply } from "../../redis/script-runner.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { sourceKeys } from "../keys.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/**
 * KEYS: 1 pauses (hash: a target's field → its PauseRecord as JSON). ARGV: 1 field, 2 the record (JSON), 3 how long it
 * lasts, ms; empty: until it is resumed. Returns: the record as it is stored. Run twice: the second lasts as long, from a
 * moment later.
 */
const pauseScript = luaScript<PauseRecord>("pauses:pause")`${serverTimeLua}
-- Also when maxmemory is reached: Redis refuses only a script's first write.
redis.call('HDEL', KEYS[1], '')
local pause = cjson.decode(ARGV[2])
if ARGV[3] ~= '' then pause['until'] = now + tonumber(ARGV[3]) end
local text = cjson.encode(pause)
redis.call('HSET', KEYS[1], ARGV[1], text)
return text
`;

/**
 * KEYS: 1 pauses. Returns: JSON list of those in force, in no order. Effects: those that are over are removed. Run twice:
 * the same.
 */
const allScript = luaScript<readonly PauseRecord[]>("pauses:all")`${serverTimeLua}
local pauses = {}
local stored = redis.call('HGETALL', KEYS[1])
for i = 1, #stored, 2 do
  local pause = cjson.decode(stored[i + 1])
  if pause['until'] and pause['until'] <= now then
    redis.call('HDEL', KEYS[1], stored[i])
  else
    pauses[#pauses + 1] = pause
  end
end
return cjson.encode(pauses)
`;

/** Pauses of one source's drains: the hash that the ledger's begin reads. Fails with `redis-unavailable`. */
export function createRedisPauseBook(redis: StoreRedis, sourceId: SourceId): PauseBook {
  const { pauses } = sourceKeys(redis.keyPrefix, sourceId);
  return {
    async pause(record, forMs) {
      const args = [toField(record), JSON.stringify(record), forMs ?? ""];
      return parseReply(pauseScript, await redis.run(pauseScript, [pauses], args));
    },
    async resume(target) {
      return (await redis.command("HDEL", pauses, toField(target))) === 1;
    },
    async all() {
      const found = parseReply(allScript, await redis.run(allScript, [pauses], []));
      return found.toSorted((a, b) => a.at - b.at);
    },
  };
}

/** No name has a space. */
function toField({ drain, host }: PauseTarget): string {
  return host === undefined ? drain : `${drain} ${host}`;
}
