import type { CapacityVerdict, CeilingUse, LearnedRate } from "../../contracts/capacity.ts";
import { luaScript } from "../../redis/script-runner.ts";
import { serverTimeLua } from "../server-time.lua.ts";
import { autoRateLua } from "./auto-rate.lua.ts";
import { undeliveredLua } from "./undelivered.lua.ts";

/**
 * Shared by all scripts. A rate's key holds its grants of one span as JSON [at, count, at, count, …], oldest
 * first; `at` is the end of a slot, Unix ms. A grant counts while at + span > now. Stored times are rounded
 * up and `now` is rounded down, so that no fraction of a millisecond shortens a span. A grant ahead of the
 * clock, which was set back, counts as one of now.
 */
const preludeLua = `${serverTimeLua}
local call = cjson.decode(ARGV[1])
local nowUp = time[1] * 1000 + math.ceil(time[2] / 1000)
local dayMs = 86400000
${autoRateLua}
${undeliveredLua}
local function slotEnd(at, rate) return math.ceil(at / rate.slotMs) * rate.slotMs end

local function record(log, at, count)
  local last = #log.ats
  if last > 0 and log.ats[last] == at then
    log.counts[last] = log.counts[last] + count
  else
    log.ats[last + 1] = at
    log.counts[last + 1] = count
  end
  log.used = log.used + count
end

local function readLog(key, rate)
  local log = { ats = {}, counts = {}, used = 0, waiting = 0, taken = 0 }
  local text = redis.call('GET', key)
  if not text then return log end
  local flat = cjson.decode(text)
  for i = 1, #flat, 2 do
    local at = math.min(flat[i], slotEnd(nowUp, rate))
    if at + rate.spanMs > now then record(log, at, flat[i + 1]) end
  end
  return log
end

local function writeLog(key, log, rate)
  local flat = {}
  for i, at in ipairs(log.ats) do
    if log.counts[i] > 0 then
      flat[#flat + 1] = at
      flat[#flat + 1] = log.counts[i]
    end
  end
  if #flat == 0 then
    redis.call('DEL', key)
  else
    redis.call('SET', key, cjson.encode(flat), 'PX', flat[#flat - 1] + rate.spanMs - now)
  end
end

local function readDay(key)
  local day, count = string.match(redis.call('GET', key) or '', '^(%d+):(%d+)$')
  return tonumber(day), tonumber(count)
end

-- The day that counts now, and what was granted in it. After the clock was set back it is the later one.
local function readToday(key)
  local today = math.floor(now / dayMs)
  local day, count = readDay(key)
  if day and day >= today then return day, count end
  return today, 0
end
`;

/**
 * Asks for one publish per request.
 *
 * KEYS: 1 count of the pass, 2 count of the day (`<days since 1970>:<count>`), 3 hosts with a learned rate, 4…
 * grants of the rates, and then what is learned of those that have `auto`; the last one what is undelivered, if there
 * is a limit of it.
 * ARGV: 1 { rates: [CountedRate], requests: [{ needs: [1-based rates], again?, canary?, grantedAt? }], perPass?, perDay?,
 * passLife, undelivered?: { max, slowMs, asks?, key: the place of its key } }, times in ms.
 * Effects: what is granted is recorded in each rate that it needs and in both ceilings; a rate's key lives as
 * long as its youngest grant counts, the day's two days, the pass's `passLife` from its last grant. The grant
 * of `grantedAt`, if a rate still counts it, is taken out and recorded again as one of now, or stays. A learned
 * rate replaces `max`; its watch ends if it is over, and its grants are added up. What is granted is undelivered.
 * Run twice: takes twice. What the first run took leads to no POST: less is granted for a while, never more.
 * A second run of a move takes out another grant of that moment at most, and records as many as it takes out.
 */
export const takeScript = luaScript<{
  at: number;
  verdicts: readonly CapacityVerdict[];
  ask?: { granted: number };
}>("limits:take")`${preludeLua}
local logs, learned, autos = {}, {}, 0
for i, rate in ipairs(call.rates) do
  logs[i] = readLog(KEYS[i + 3], rate)
  if rate.auto then
    autos = autos + 1
    rate.learnedKey = KEYS[#call.rates + 3 + autos]
    learned[i] = readLearned(rate.learnedKey, rate.auto) or newLearned(rate.auto)
    endWatch(learned[i])
    rate.max = learned[i].rate
  end
end
local passCount = call.perPass and tonumber(redis.call('GET', KEYS[1]) or '0')
local today, dayCount
if call.perDay then today, dayCount = readToday(KEYS[2]) end
local counted = 0
local undelivered = call.undelivered and readUndelivered(KEYS[call.undelivered.key], call.undelivered)
local waitingForService, sent = 0, 0

-- When the rank-th request that waits for this rate is granted, if no other comes.
local function freeAt(log, rate, rank)
  local place = (rank - 1) % rate.max + 1 - (rate.max - log.used)
  local at = nowUp
  for i, count in ipairs(log.counts) do
    if place <= 0 then break end
    at = log.ats[i] + rate.spanMs
    place = place - count
  end
  return at + math.floor((rank - 1) / rate.max) * rate.spanMs
end

-- Adds to the grants at these places.
local function add(places, by)
  for i, j in pairs(places) do
    logs[i].counts[j] = logs[i].counts[j] + by
    logs[i].used = logs[i].used + by
  end
end

-- Takes the earlier grant of a request out of the rates that still count it. Returns where it was.
local function takeOut(request)
  local places = {}
  for _, i in ipairs(request.grantedAt and request.needs or {}) do
    local at = slotEnd(request.grantedAt, call.rates[i])
    for j, one in ipairs(logs[i].ats) do
      if one == at and logs[i].counts[j] > 0 then places[i] = j end
    end
  end
  add(places, -1)
  return places
end

local function ask(request)
  local first = not request.again
  if first and call.perDay and dayCount + counted >= call.perDay then
    return { kind = 'ceiling', by = 'day', ['until'] = (today + 1) * dayMs }
  end
  if first and call.perPass and passCount + counted >= call.perPass then
    return { kind = 'ceiling', by = 'pass', ['until'] = cjson.null }
  end
  local places = takeOut(request)
  -- What moves is counted already.
  local counts = undelivered and not request.grantedAt
  local isFull = counts and roomForMore(undelivered, call.undelivered) < 1
  local hasRoom = not isFull
  for _, i in ipairs(request.needs) do
    if logs[i].used >= call.rates[i].max then hasRoom = false end
  end
  if hasRoom then
    for _, i in ipairs(request.needs) do
      record(logs[i], slotEnd(nowUp, call.rates[i]), 1)
      logs[i].taken = logs[i].taken + 1
      if learned[i] and not request.grantedAt then addSent(learned[i], 1, request.canary and 1 or 0) end
    end
    if first then counted = counted + 1 end
    if counts then
      undelivered.out = undelivered.out + 1
      sent = sent + 1
    end
    return { kind = 'granted' }
  end
  add(places, 1)
  local verdict = { kind = 'wait', ['until'] = now }
  for _, i in ipairs(request.needs) do
    logs[i].waiting = logs[i].waiting + 1
    local at = freeAt(logs[i], call.rates[i], logs[i].waiting)
    if at > verdict['until'] then
      verdict['until'] = at
      verdict.by = call.rates[i].kind
      verdict.perSecond = learned[i] and learned[i].rate or nil
    end
  end
  if isFull then
    waitingForService = waitingForService + 1
    local at = roomAt(undelivered, call.undelivered, waitingForService)
    if at > verdict['until'] then
      verdict['until'] = at
      verdict.by = 'service'
      verdict.perSecond = nil
    end
  end
  return verdict
end

local verdicts = {}
for i, request in ipairs(call.requests) do verdicts[i] = ask(request) end

for i, log in ipairs(logs) do
  local rate = call.rates[i]
  if log.taken > 0 then
    writeLog(KEYS[i + 3], log, rate)
    if rate.auto then
      learned[i].usedAt = now
      writeLearned(rate.learnedKey, learned[i])
      if learned[i].since == now then listHost(KEYS[3], rate.auto.id) end
    end
  end
end
if counted > 0 and call.perPass then
  redis.call('SET', KEYS[1], passCount + counted, 'PX', call.passLife)
end
if counted > 0 and call.perDay then
  redis.call('SET', KEYS[2], string.format('%.0f:%.0f', today, dayCount + counted), 'PX', 2 * dayMs)
end
local asks = undelivered and call.undelivered.asks and waitingForService > 0 and mayAsk(undelivered)
if undelivered and (sent > 0 or asks) then
  undelivered.granted = undelivered.granted + sent
  writeUndelivered(KEYS[call.undelivered.key], undelivered)
end
return cjson.encode({ at = nowUp, verdicts = verdicts, ask = asks and { granted = undelivered.granted } or nil })
`;

/** KEYS: 1 count of the pass, 2 count of the day. Returns: what the ceilings have granted. Effects: none. */
export const usedScript = luaScript<CeilingUse>("limits:used")`${preludeLua}
local today, used = readToday(KEYS[2])
return cjson.encode({
  at = nowUp, day = used, pass = tonumber(redis.call('GET', KEYS[1]) or '0'), dayEndsAt = (today + 1) * dayMs,
})
`;

/**
 * Restores grants of a take.
 *
 * KEYS: 1 mark of this give-back, and then as for a take, without hosts. ARGV: 1 { at: the take's, rates: [CountedRate
 * and count, canaries], counted: for both ceilings, hasPass, markLife, undelivered?, requests }. Returns: nothing.
 * Effects: grants of exactly that moment are taken back, as far as they are still recorded. The counts of the pass, of
 * that day and of a learned rate's watch are lowered, never below 0. Run twice: the mark prevents a second effect.
 */
export const giveBackScript = luaScript("limits:giveBack")`${preludeLua}
if not redis.call('SET', KEYS[1], '1', 'NX', 'PX', call.markLife) then return false end
if call.undelivered then
  local known = readUndelivered(KEYS[call.undelivered.key], call.undelivered)
  known.out = math.max(0, known.out - call.requests)
  writeUndelivered(KEYS[call.undelivered.key], known)
end
local autos = 0
for i, rate in ipairs(call.rates) do
  if rate.auto then
    autos = autos + 1
    local learnedKey = KEYS[#call.rates + 3 + autos]
    local learned = readLearned(learnedKey, rate.auto)
    if learned and math.floor(call.at) >= learned.since then
      addSent(learned, -rate.count, -rate.canaries)
      writeLearned(learnedKey, learned)
    end
  end
  local key = KEYS[i + 3]
  local log = readLog(key, rate)
  for j, at in ipairs(log.ats) do
    if at == slotEnd(call.at, rate) then
      log.counts[j] = math.max(0, log.counts[j] - rate.count)
      writeLog(key, log, rate)
      break
    end
  end
end
if call.counted == 0 then return false end
local pass = call.hasPass and redis.call('GET', KEYS[2])
if pass then redis.call('SET', KEYS[2], math.max(0, pass - call.counted), 'KEEPTTL') end
local day, count = readDay(KEYS[3])
if day and day == math.floor(call.at / dayMs) then
  redis.call('SET', KEYS[3], string.format('%.0f:%.0f', day, math.max(0, count - call.counted)), 'KEEPTTL')
end
`;

/**
 * Messages of hosts failed again.
 *
 * KEYS: what is learned of each host. ARGV: 1 { hosts: [[{ parent: a short hash, canary? }]] } in their order. Returns:
 * nothing. Effects: each parent counts once, as far as the last 64 are remembered. If too many failed again, the rate is
 * halved and a watch begins, at most once in a watch. A host without a learned rate stays without one.
 * Run twice: the second run finds the parents, or the watch in which the rate is not halved again.
 */
export const failedAgainScript = luaScript("limits:failedAgain")`${preludeLua}
for i, failures in ipairs(call.hosts) do
  local learned = readLearned(KEYS[i])
  if learned then
    for _, failure in ipairs(failures) do addFailure(learned, failure) end
    halveIfTooMany(learned)
    writeLearned(KEYS[i], learned)
  end
end
`;

/**
 * KEYS: 1 hosts with a learned rate. ARGV: 1 { prefix, max }: what is learned of a host is at prefix .. id, in the slot
 * of KEYS. Effects: none.
 */
export const learnedScript = luaScript<{ learned: readonly LearnedRate[] }>("limits:learned")`${preludeLua}
local rates = {}
for _, id in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, call.max - 1)) do
  local learned = readLearned(call.prefix .. id)
  if learned then
    rates[#rates + 1] = {
      host = learned.auto.host, perSecond = learned.rate, since = learned.since, sent = learned.sent,
      failedAgain = learned.failed + learned.failedCanaries,
    }
  end
end
return cjson.encode({ learned = rates })
`;
