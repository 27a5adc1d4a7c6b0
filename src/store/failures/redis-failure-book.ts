import { maxFailureKinds, type FailureBook, type RecordedFailure } from "../../ports/failures.ts";
import type { SourceId } from "../../ports/ids.ts";
import { defineScript } from "../../redis/script-runner.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { toHashEntries } from "../hash-entries.ts";
import { sourceKeys } from "../keys.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/**
 * meet: records kinds of failure.
 *
 * KEYS: 1 kinds (hash: id → JSON of a RecordedFailure without its id). ARGV: 1 { drain, maxKinds, forgetAfterMs,
 * kinds: [{ id, origin, status?, text, sample?, othersId }] }.
 * Returns: JSON of the ids under which they are counted, in order.
 * Effects: a known kind is met now. A new one is added. If there is no room, the one that was met longest ago
 * makes room if that was forgetAfterMs ago; else the new one is counted under the id of the others. Run twice:
 * the same.
 */
const meetScript = defineScript(
  "failures:meet",
  `${serverTimeLua}
local call = cjson.decode(ARGV[1])
local count = redis.call('HLEN', KEYS[1])

-- True if one made room.
local function forgetOne()
  local all, oldest, oldestAt = redis.call('HGETALL', KEYS[1]), nil, nil
  for i = 1, #all, 2 do
    local at = cjson.decode(all[i + 1]).lastMetAt
    if not oldestAt or at < oldestAt then oldest, oldestAt = all[i], at end
  end
  if not oldest or now - oldestAt < call.forgetAfterMs then return false end
  redis.call('HDEL', KEYS[1], oldest)
  count = count - 1
  return true
end

local function put(id, kind)
  redis.call('HSET', KEYS[1], id, cjson.encode(kind))
end

local mayForget = true
local ids = {}
for i, kind in ipairs(call.kinds) do
  local id, known = kind.id, redis.call('HGET', KEYS[1], kind.id)
  if not known then
    if count >= call.maxKinds and mayForget then mayForget = forgetOne() end
    if count >= call.maxKinds then
      id = kind.othersId
      known = redis.call('HGET', KEYS[1], id)
      kind.status = nil
      kind.sample = nil
      kind.text = 'other failures'
      -- Others have room for a tenth of the kinds. Beyond, all destinations share one.
      if not known and count >= call.maxKinds * 1.1 then
        id = 'other'
        kind.origin = '(other)'
        known = redis.call('HGET', KEYS[1], id)
      end
    end
  end
  local one = known and cjson.decode(known)
  if one then
    one.lastMetAt = now
  else
    one = {
      origin = kind.origin, status = kind.status, text = kind.text, sample = kind.sample, drain = call.drain,
      firstMetAt = now, lastMetAt = now,
    }
    count = count + 1
  end
  put(id, one)
  ids[i] = id
end
return cjson.encode(ids)
`,
);

/** Room for a new kind is made by one that nobody has met for a day. */
const forgetAfterMs = 86_400_000;

export function createRedisFailureBook(redis: StoreRedis, sourceId: SourceId): FailureBook {
  const { failures } = sourceKeys(redis.keyPrefix, sourceId);
  return {
    async meet(drain, kinds) {
      const call = {
        drain,
        maxKinds: maxFailureKinds,
        forgetAfterMs,
        kinds: kinds.map(({ status, sample, ...kind }) => ({
          ...kind,
          status: status ?? undefined,
          sample: sample ?? undefined,
        })),
      };
      const ids = JSON.parse((await redis.run(meetScript, [failures], [JSON.stringify(call)])) as string);
      return new Map(kinds.map(({ id }, index) => [id, (ids as readonly string[])[index] ?? id]));
    },
    async all() {
      return toHashEntries(await redis.command("HGETALL", failures)).map(([id, text]) => {
        const {
          status = null,
          sample = null,
          ...kind
        } = JSON.parse(text) as Omit<RecordedFailure, "id" | "status" | "sample"> &
          Partial<Pick<RecordedFailure, "status" | "sample">>;
        return { id, status, sample, ...kind };
      });
    },
  };
}
