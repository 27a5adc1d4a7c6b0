import { luaScript } from "../../redis/script-runner.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/**
 * So many times the parallelism may be undelivered. One is under way. One waits, so that no place is empty while
 * the next page is begun. One is delivered and not known yet: a callback takes a delivery of its own.
 */
const undeliveredFactor = 3;
/** A report takes its time too, so the fastest delivery took somewhat less than was seen. */
const paceFactor = 1.25;
/** The service is asked again after this at the earliest, by whichever replica waits. */
const askEveryMs = 1_000;
const lifeMs = 86_400_000;

/**
 * What is published and not known to be delivered, of one source: hash with out (at the time `at`), seenMs (how
 * long a delivery takes, if that is known), leastMs (the fastest that was reported lately), granted (ever), newsAt (the last report, or
 * answer that nothing waits), and of the last such answer: clearAt and clearGranted; askedAt. Expects `now`.
 *
 * Time alone releases it: what was published longer ago than a delivery takes is taken for delivered. A delivery
 * takes as long as those that are known, their wait at the service included, so that a service that falls behind
 * gets less. No more than the parallelism ends in the time of the fastest, whatever the mean has not learned yet.
 * Where none is known it takes as long as a canary may. So it is a model. Without news it slows down: a
 * delivery then takes at least half of the time since the last news. News of a service that keeps up comes within
 * a second or two: of canaries that go all the time, or by asking.
 */
export const undeliveredLua = `
-- How many are taken for delivered in a millisecond.
local function paceOf(known, limit)
  local pace = ${undeliveredFactor} * limit.max / known.tookMs
  return known.leastMs and math.min(pace, ${paceFactor} * limit.max / known.leastMs) or pace
end

local function readUndelivered(key, limit)
  local names = { 'out', 'at', 'seenMs', 'leastMs', 'granted', 'newsAt', 'clearAt', 'clearGranted', 'askedAt' }
  local known, values = {}, redis.call('HMGET', key, unpack(names))
  for i, name in ipairs(names) do known[name] = tonumber(values[i]) end
  local quietMs = known.newsAt and (now - known.newsAt) / 2 or 0
  known.tookMs = math.min(math.max(known.seenMs or limit.slowMs, quietMs), limit.slowMs)
  known.granted = known.granted or 0
  local gone = math.max(0, now - (known.at or now)) * paceOf(known, limit)
  known.out = math.max(0, (known.out or 0) - gone)
  known.at = now
  return known
end

local function writeUndelivered(key, known)
  for name, value in pairs(known) do
    if name ~= 'tookMs' then redis.call('HSET', key, name, string.format('%.3f', value)) end
  end
  redis.call('PEXPIRE', key, ${lifeMs})
end

local function roomForMore(known, limit) return ${undeliveredFactor} * limit.max - known.out end

-- When the rank-th that waits has room, if time alone releases it. An answer of the service may release all.
local function roomAt(known, limit, rank)
  local ms = math.ceil(math.max(0, rank - roomForMore(known, limit)) / paceOf(known, limit))
  return now + (limit.asks and math.min(ms, ${askEveryMs}) or ms)
end

-- True for one caller a second.
local function mayAsk(known)
  if known.askedAt and now - known.askedAt < ${askEveryMs} and known.askedAt <= now then return false end
  known.askedAt = now
  return true
end
`;

/**
 * What became of what was published.
 *
 * KEYS: 1 what is undelivered. ARGV: 1 an UndeliveredLimit with its DeliveryNews. Returns: nothing. Effects: what a
 * delivery takes is the mean of the last ones. If the service says that nothing waits, what is out is what it has under
 * way and what was granted since; it has shown its pace since the last such answer. If messages wait, nothing.
 * Run twice: the same, or a little more cautious.
 */
export const learnUndeliveredScript = luaScript("limits:learn")`${serverTimeLua}
${undeliveredLua}
local call = cjson.decode(ARGV[1])
local known = readUndelivered(KEYS[1], call)
local seenMs = known.seenMs
if call.tookMs then
  seenMs = seenMs and seenMs + (call.tookMs - seenMs) * 0.2 or call.tookMs
  -- It is forgotten by a fiftieth with each slower one.
  known.leastMs = math.max(1, known.leastMs and math.min(call.tookMs, known.leastMs * 1.02) or call.tookMs)
  known.newsAt = now
end
if call.load and call.load.count < call.load.max then
  known.out = math.min(known.out, call.load.count + math.max(0, known.granted - call.granted))
  local sent = call.granted - (known.clearGranted or call.granted)
  if known.clearAt and sent >= call.max and now > known.clearAt then
    seenMs = ${undeliveredFactor} * call.max * (now - known.clearAt) / sent
  end
  known.newsAt, known.clearAt, known.clearGranted = now, now, call.granted
end
known.seenMs = seenMs and math.max(1, math.min(seenMs, call.slowMs))
writeUndelivered(KEYS[1], known)
`;
