import { shareEveryMs, shareLeaseMs, type CallShare, type CallShares } from "../../contracts/call-shares.ts";
import type { SourceId } from "../../contracts/ids.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import { luaScript, parseReply } from "../../redis/script-runner.ts";
import type { ScriptRedis } from "../connection-needs.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/** Without calls for so long, nothing is kept. */
const keptMs = 10 * 60_000;
/** Windows after which a limit that no answer has named is forgotten. If only a 429 names it, that is one each minute. */
const rateLife = { windows: 20, minMs: 60_000, maxMs: keptMs };
/** Each 429 beside the moments takes a fiftieth of the limit away for so long: others call the service too. */
const missLifeMs = 60_000;
/** A replica's part may be so many times its demand, so that it can grow until its next report. */
const roomPerCall = 2;
/** Moments are taken for at least so long: a pause after a 429 and its end look as if little were asked for. */
const pacedForMs = 10_000;
/** Until all replicas know that moments are taken, others make up to half of the calls without one. */
const allKnowAfterMs = shareEveryMs + 500;

/**
 * The hash of one source. Values are numbers with spaces between them:
 * `replica:<id>`: its part or its calls in flight, whichever is more, demand, calls per second, when.
 * `list`, `batch`, `delete`: the learned limit, how often it was cut.
 * `rate`: calls, window in ms, when one begins, when learned, 429s beside the moments, the last of them.
 * `moment`: the last one given. `paced`: since when moments are taken; absent: they are not.
 */
const preludeLua = `${serverTimeLua}
local all, known, changes = redis.call('HGETALL', KEYS[1]), {}, {}
for i = 1, #all, 2 do known[all[i]] = all[i + 1] end
-- written() writes it.
local function put(field, ...)
  local texts = {}
  for i, value in ipairs({ ... }) do texts[i] = string.format('%.3f', value) end
  changes[#changes + 1] = field
  changes[#changes + 1] = table.concat(texts, ' ')
end
local function written(answer)
  redis.call('HSET', KEYS[1], unpack(changes))
  redis.call('PEXPIRE', KEYS[1], ${keptMs})
  return cjson.encode(answer)
end
local function numbers(text)
  local found = {}
  for number in string.gmatch(text or '', '%S+') do found[#found + 1] = tonumber(number) end
  return found
end
local function get(field) return numbers(known[field]) end
local paced = get('paced')[1]
local rate = get('rate')
local life = math.max(${rateLife.minMs}, math.min(${rateLife.windows} * (rate[2] or 0), ${rateLife.maxMs}))
if not rate[4] or math.abs(now - rate[4]) > life then rate = {} end
local function allowed()
  local lost = math.max(0, rate[5] - math.floor((now - rate[6]) / ${missLifeMs}))
  return math.max(math.ceil(rate[1] / 2), rate[1] - math.max(1, math.floor(rate[1] / 50)) * lost)
end
`;

/**
 * KEYS: 1 the hash. ARGV: 1 the replica, 2 calls in flight that all may have, 3 calls in flight, 4 demand,
 * 5 calls per second that list or delete, then of list, batch and delete: limit, cuts, 1 if cut, and from 15
 * on a named limit: calls (0: none), window in ms, ms to its end, 1 if it is used up.
 * Effects: the replica's part and what was learned are written; dead replicas are dropped. Run twice: a cut is counted
 * twice, so growth of others since the first run is lost.
 */
const exchangeScript = luaScript<CallShare>("call-shares:exchange")`${preludeLua}
local own, max, inFlight, demand, perSecond = 'replica:' .. ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local asked, given = demand, 0
for field, text in pairs(known) do
  if string.sub(field, 1, 8) == 'replica:' and field ~= own then
    local other = numbers(text)
    if math.abs(now - other[4]) > ${shareLeaseMs} then
      redis.call('HDEL', KEYS[1], field)
    else
      given, perSecond, asked = given + other[1], perSecond + other[3], asked + other[2]
    end
  end
end
-- Room for calls that are not asked for is left to replicas that are to come.
local free = max - given
local room = math.min(max * demand / math.max(asked, 1), math.max(free / 2, ${roomPerCall} * demand))
local part = math.max(1, math.floor(math.min(room, free)))
if demand == 0 then redis.call('HDEL', KEYS[1], own)
else put(own, math.max(part, inFlight), demand, tonumber(ARGV[5]), now) end

local limits = {}
for i, operation in ipairs({ 'list', 'batch', 'delete' }) do
  local limit, cuts, isCut = tonumber(ARGV[3 + 3 * i]), tonumber(ARGV[4 + 3 * i]), ARGV[5 + 3 * i] == '1'
  local known = get(operation)
  if not known[2] then known = { limit, cuts } end
  if isCut then known = { math.min(known[1], limit), known[2] + 1 }
  elseif cuts == known[2] then known[1] = math.max(known[1], limit) end
  put(operation, known[1], known[2])
  limits[operation] = { limit = known[1], cuts = known[2] }
end

local calls, window, isUsedUp = tonumber(ARGV[15]), tonumber(ARGV[16]), ARGV[18] == '1'
if calls > 0 then
  local missed, missedAt = 0, now
  if rate[1] == calls then
    -- The end of a window shows its length only if it has just begun.
    window, missed, missedAt = math.max(window, rate[2]), rate[5], rate[6]
    if isUsedUp and paced and now - paced > ${allKnowAfterMs} + window and now - missedAt > window then
      missed, missedAt = math.min(missed, 20) + 1, now
    end
  end
  rate = { calls, window, (now + tonumber(ARGV[17])) % window, now, missed, missedAt }
  put('rate', unpack(rate))
  if isUsedUp and not paced then
    -- The others learn of it while they keep to the pause after this 429.
    paced = now - ${shareEveryMs}
    put('paced', paced)
  end
end
if paced and (not rate[1] or perSecond < 0.4 * allowed() * 1000 / rate[2]) and now - paced > ${pacedForMs} then
  redis.call('HDEL', KEYS[1], 'paced')
  paced = nil
end
return written({
  part = part, ofAll = part / (part + given), limits = limits, isPaced = paced ~= nil,
  rate = rate[1] and { calls = allowed(), windowMs = rate[2] } or cjson.null,
})
`;

/**
 * The moments of a window lie evenly between its first 4 % and its last 12 %. So a call that is a little late, or whose
 * clock is, still falls into its window. They repeat with the window, so any other span of that length has as many.
 *
 * KEYS: 1 the hash. ARGV: 1 how many moments. Returns: JSON of their ms from now, or nil if no limit is known. Effects:
 * they are given. Run twice: as many moments are lost.
 */
const takeScript = luaScript<readonly number[]>("call-shares:take")`${preludeLua}
if not rate[1] then return false end
if not paced then
  paced = now
  put('paced', now)
end
local count, window, phase = allowed(), rate[2], rate[3]
if now - paced < ${allKnowAfterMs} then count = math.max(1, math.floor(count / 2)) end
local last = get('moment')[1] or 0
if last > now + 60000 then last = 0 end
local from = math.max(now, last)
local start = phase + math.floor((from - phase) / window) * window
local index = math.max(0, math.ceil(((from - start) / window - 0.04) / 0.84 * count - 0.001))
local moments = {}
while #moments < tonumber(ARGV[1]) do
  if index >= count then start, index = start + window, 0 end
  local at = start + window * (0.04 + 0.84 * index / count)
  if at > last + 0.01 then
    moments[#moments + 1] = at - now
    last = at
  end
  index = index + 1
end
put('moment', last)
return written(moments)
`;

const nothingNamed = { calls: 0, windowMs: 0, resetInMs: 0, isUsedUp: false };

export function createRedisCallShares(
  redis: ScriptRedis,
  sourceId: SourceId,
  replica: string,
  maxInFlight: number,
): CallShares {
  const keys = [sourceKey(redis.keyPrefix, sourceId, "calls")];
  return {
    async exchange({ inFlight, demand, dlqPerSecond, limits, named }) {
      const learned = [limits.list, limits.batch, limits.delete].flatMap((one) => [
        one.limit,
        one.cuts,
        Number(one.isCut),
      ]);
      const { calls, windowMs, resetInMs, isUsedUp } = named ?? nothingNamed;
      const ofService = [calls, windowMs, resetInMs, Number(isUsedUp)];
      const args = [replica, maxInFlight, inFlight, demand, dlqPerSecond, ...learned, ...ofService];
      return parseReply(exchangeScript, await redis.run(exchangeScript, keys, args));
    },
    async takeMoments(count) {
      const reply = await redis.run(takeScript, keys, [count]);
      return reply === null ? null : parseReply(takeScript, reply);
    },
  };
}
