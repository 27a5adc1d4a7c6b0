import { maxFailureKinds, type FailureBook, type RecordedFailure } from "../../contracts/failures.ts";
import type { SourceId } from "../../contracts/ids.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import { luaScript, parseReply } from "../../redis/script-runner.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { toHashEntries } from "../hash-entries.ts";
import { sourceKeys } from "../keys.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/** As scripts keep a kind: an absent status or sample stands for null. */
export type StoredFailure = Omit<RecordedFailure, "id" | "status" | "sample"> &
  Partial<Pick<RecordedFailure, "status" | "sample">>;

/**
 * KEYS: 1 kinds (hash: id → JSON of a StoredFailure), 2 marks (redis-failure-marks.ts). ARGV: 1 { drain, maxKinds,
 * forgetAfterMs, kinds: [MetFailure] }. Returns: JSON of the ids under which they are counted, in order.
 * Effects: a known kind is met now, with this sample. A new one is added, as it was if its mark has it. If there
 * is no room, the one that was met longest ago makes room if that was forgetAfterMs ago, and its mark has it from
 * then on; else the new one is counted under the id of the others. Run twice: the same.
 */
const meetScript = luaScript<readonly string[]>("failures:meet")`${serverTimeLua}
local call = cjson.decode(ARGV[1])
local function isOthers(id) return string.sub(id, 1, 5) == 'other' end

-- Of kinds, and of those that stand for the others. Told apart only if there may be too many.
local count, others = redis.call('HLEN', KEYS[1]), 0
if count + #call.kinds > call.maxKinds then
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if isOthers(all[i]) then others = others + 1 end
  end
  count = count - others
end

local function changeMark(id, mark, forgotten, at)
  mark.forgotten, mark.forgottenAt = forgotten, at
  redis.call('HSET', KEYS[2], id, cjson.encode(mark))
end

-- True if a kind made room.
local function forgetOne()
  local all, oldest, oldestAt = redis.call('HGETALL', KEYS[1]), nil, nil
  for i = 1, #all, 2 do
    local at = cjson.decode(all[i + 1]).lastMetAt
    if not isOthers(all[i]) and (not oldestAt or at < oldestAt) then oldest, oldestAt = all[i], at end
  end
  if not oldest or now - oldestAt < call.forgetAfterMs then return false end
  local mark = redis.call('HGET', KEYS[2], oldest)
  if mark then changeMark(oldest, cjson.decode(mark), cjson.decode(redis.call('HGET', KEYS[1], oldest)), now) end
  redis.call('HDEL', KEYS[1], oldest)
  count = count - 1
  return true
end

-- What its mark has of a kind that was forgotten, and has no more.
local function recall(id)
  local text = redis.call('HGET', KEYS[2], id)
  local mark = text and cjson.decode(text)
  local before = mark and mark.forgotten
  if before then changeMark(id, mark, nil, nil) end
  return before
end
local mayForget, ids = true, {}
for i, kind in ipairs(call.kinds) do
  local id, known = kind.id, redis.call('HGET', KEYS[1], kind.id)
  if not known then
    if count >= call.maxKinds and mayForget then mayForget = forgetOne() end
    if count >= call.maxKinds then
      id = kind.othersId
      known = redis.call('HGET', KEYS[1], id)
      kind.status, kind.sample, kind.text = nil, nil, 'other failures'
      -- Others have room for a tenth of the kinds. Beyond, all destinations share one.
      if not known and others >= call.maxKinds / 10 then
        id = 'other'
        kind.origin = '(other)'
        known = redis.call('HGET', KEYS[1], id)
      end
    end
  end
  local one = known and cjson.decode(known)
  if not one then
    one = recall(id) or {
      origin = kind.origin, status = kind.status, text = kind.text, drain = call.drain, firstMetAt = now,
    }
    if isOthers(id) then others = others + 1 else count = count + 1 end
  end
  one.lastMetAt = now
  one.sample = kind.sample or one.sample
  redis.call('HSET', KEYS[1], id, cjson.encode(one))
  ids[i] = id
end
return cjson.encode(ids)
`;

/** Room for a new kind is made by one that nobody has met for a day. */
const forgetAfterMs = 86_400_000;

export function createRedisFailureBook(redis: StoreRedis, sourceId: SourceId): FailureBook {
  const failures = sourceKey(redis.keyPrefix, sourceId, "failures");
  const { failureMarks } = sourceKeys(redis.keyPrefix, sourceId);
  return {
    async meet(drain, kinds) {
      // An absent status or sample stands for null.
      const call = { drain, maxKinds: maxFailureKinds, forgetAfterMs, kinds };
      const text = JSON.stringify(call, (_, value: unknown) => value ?? undefined);
      const ids = parseReply(meetScript, await redis.run(meetScript, [failures, failureMarks], [text]));
      return new Map(kinds.map(({ id }, index) => [id, ids[index] ?? id]));
    },
    async all() {
      return toHashEntries(await redis.command("HGETALL", failures)).map(([id, text]) =>
        toRecorded(id, JSON.parse(text) as StoredFailure),
      );
    },
  };
}

export function toRecorded(
  id: string,
  { status = null, sample = null, ...kind }: StoredFailure,
): RecordedFailure {
  return { id, status, sample, ...kind };
}
