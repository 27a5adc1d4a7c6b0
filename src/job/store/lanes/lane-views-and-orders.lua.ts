/** What people order of a lane, and what they see of all. */
import { laneStates, type LaneProbe, type LaneReset, type LanesCounted } from "../../contracts/lanes.ts";
import { luaScript } from "../../redis/script-runner.ts";
import { forgetAfterMs, maxDue, repeatAfterMs } from "./lane-constants.ts";
import { lanePreludeLua } from "./lane-prelude.lua.ts";

/**
 * A person asks for the probe of a halted lane.
 *
 * ARGV[2]: { lane }. Effects: its next probe is due, also for a message that was a canary lately, and its minutes are
 * handed out at once. If it has none, its drain is to make a full pass. Run twice: it is due already.
 */
export const probeNowScript = luaScript<LaneProbe>("lanes:probeNow")`${lanePreludeLua}
local lane = read(call.lane)
if not lane then return cjson.encode({ kind = 'unknown' }) end
if lane.state ~= 'halted' then return cjson.encode({ kind = 'not-halted', state = lane.state }) end
if takenOf(lane.step) > 0 then
  return cjson.encode({ kind = 'under-way', since = lane.step.lastAt or lane.step.grantAt })
end
lane.nextAt = math.min(lane.nextAt, now - ${repeatAfterMs})
lane.step.calledAt = nil
if #lane.places == 0 then lane.isAsked = true end
put(call.lane, lane)
return cjson.encode({ kind = 'due' })
`;

/**
 * A person lets a lane start over.
 *
 * ARGV[2]: { lane }. Effects: it is a canary, under a new step, without what it knew of failures. Its minutes are handed
 * out at once, as for a probe. Totals stay. Run twice: marked.
 */
export const resetScript = luaScript<LaneReset>("lanes:reset")`${lanePreludeLua}
local lane = read(call.lane)
if not lane then return cjson.encode({ kind = 'unknown' }) end
local step = lane.step
local was = { kind = 'reset', from = lane.state, why = lane.why, sent = knownOf(step), comeBacks = count(step.back) }
enter(lane, 'canary', 'reset by a person')
for _, name in ipairs({ 'cause', 'nextAt', 'probeEvery', 'isShaky', 'isMixed', 'judged', 'slowMs', 'missing', 'missingAt' }) do lane[name] = nil end
if #lane.places == 0 then lane.isAsked = true end
put(call.lane, lane)
return mark(cjson.encode(was))
`;

/**
 * ARGV[2]: { lanes: [lane] } or { max, by: state | records } or { max, by: one, state, skip }. By state: halted, canary,
 * ramping and then open, of each the last used first. By records: those that were asked for most messages first. One: of
 * one state behind the first `skip`. Returns: the known lanes; in an order also counts and totals.
 * Effects: in an order, lanes that have been unused for seven days leave the indexes. Run twice: the same.
 */
export const viewsScript = luaScript<LanesCounted>("lanes:views")`${lanePreludeLua}
local lanes = {}

local function add(id)
  local lane = read(id)
  if not lane then return false end
  local step, down = lane.step, downOf(lane.step)
  lanes[#lanes + 1] = {
    lane = id, step = step.step, drain = lane.drain, origin = lane.origin, state = lane.state, since = lane.since,
    why = lane.why, size = step.size, sent = knownOf(step), comeBacks = { down = down, refused = count(step.back) - down },
    unknown = undeliveredOf(lane), nextAt = lane.nextAt or cjson.null, isShaky = lane.isShaky or false, lastUsedAt = lane.usedAt,
    totals = { canaries = lane.canaries, comeBacks = lane.comeBacks, halts = lane.halts },
  }
  return true
end

local function countLanes()
  local all, counts, before = 0, {}, '(' .. string.format('%.0f', now - ${forgetAfterMs})
  for state, key in pairs(stateKeys) do
    counts[state] = redis.call('ZCARD', key)
    local old = counts[state] > 0 and redis.call('ZRANGEBYSCORE', key, '-inf', before) or {}
    for _, id in ipairs(old) do redis.call('ZREM', recordsKey, id) end
    if #old > 0 then counts[state] = counts[state] - redis.call('ZREMRANGEBYSCORE', key, '-inf', before) end
    all = all + counts[state]
  end
  return counts, all
end

if call.lanes then
  for _, id in ipairs(call.lanes) do add(id) end
  return cjson.encode({ lanes = lanes })
end
local counts, all = countLanes()
local totals = {}
for _, state in ipairs(call.by == 'state' and { ${laneStates.map((state) => `'${state}'`).join(", ")} } or {}) do
  local left = math.min(call.max - #lanes, counts[state])
  for _, id in ipairs(left > 0 and redis.call('ZREVRANGE', stateKeys[state], 0, left - 1) or {}) do add(id) end
end
if call.by == 'one' then
  for _, id in ipairs(redis.call('ZREVRANGE', stateKeys[call.state], call.skip, call.skip + call.max - 1)) do add(id) end
end
while call.by == 'records' and all > 0 and #lanes < call.max do
  local ids = redis.call('ZREVRANGE', recordsKey, #lanes, call.max - 1)
  if #ids == 0 then break end
  for _, id in ipairs(ids) do
    if not add(id) then redis.call('ZREM', recordsKey, id) end
  end
end
local names = { 'canaries', 'comeBacks', 'halts', 'service' }
for i, value in ipairs(redis.call('HMGET', totalsKey, unpack(names))) do totals[names[i]] = value end
local service = totals.service
totals.service = nil
for name, value in pairs(totals) do totals[name] = tonumber(value or 0) end

local unknown, lastUsedAt = 0, cjson.null
for _, id in ipairs(all > 0 and redis.call('ZREVRANGE', unknownKey, 0, ${maxDue} - 1) or {}) do
  local lane = read(id)
  if lane then unknown = unknown + undeliveredOf(lane) else redis.call('ZREM', unknownKey, id) end
end
for state, key in pairs(stateKeys) do
  local last = counts[state] > 0 and tonumber(redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2])
  if last and (lastUsedAt == cjson.null or last > lastUsedAt) then lastUsedAt = last end
end
return cjson.encode({
  lanes = lanes, counts = counts, totals = totals, at = now, unknown = unknown, lastUsedAt = lastUsedAt,
  reportedAt = tonumber(redis.call('ZREVRANGE', deliveredKey, 0, 0, 'WITHSCORES')[2]) or cjson.null,
  service = service and cjson.decode(service) or cjson.null,
})
`;
