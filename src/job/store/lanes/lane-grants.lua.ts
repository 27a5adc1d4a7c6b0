/** What a page asks of its lanes, and what it tells them of the canaries that they granted. */
import type { LaneAnswer } from "../../contracts/lanes.ts";
import { luaScript } from "../../redis/script-runner.ts";
import { forgetAfterMs, rememberedRoots, repeatAfterMs } from "./lane-constants.ts";
import { lanePreludeLua } from "./lane-prelude.lua.ts";

/**
 * Grants to one page of one drain.
 *
 * ARGV[2]: { drain, config, asks: [LaneAsk] }. Effects: what is wanted is added up for each lane, unless it is asked for
 * again. Granted canaries are under way. New and idle lanes, and those at the end of a period, move on. Resume minutes of
 * denied messages are stored. None if `wanted` is 0. Run twice: marked where anything is wanted.
 */
export const askScript = luaScript<{ at: number; answers: readonly LaneAnswer[] }>(
  "lanes:ask",
)`${lanePreludeLua}
local isWanted = false

local function grant(lane, wanted, resumeMinutes)
  becomeNewWhenIdle(lane)
  planAgain(lane)
  beginPeriod(lane)
  local step = lane.step
  local canaries = math.min(wanted, roomOf(lane))
  if canaries > 0 then
    if takenOf(step) == 0 then step.firstAt = now end
    step.underWay = step.underWay + canaries
    step.grantAt = now
    if lane.isAsked then lane.isAsked = nil end
    if step.mayAdd then step.mayAdd = nil end
  end
  local plain = lane.state == 'open' and not isBlind(lane) and wanted - canaries or 0
  -- A probe may be given back unused. Its minute is then handed out again.
  if canaries + plain < wanted or lane.state == 'halted' then remember(lane, resumeMinutes) end
  return {
    state = lane.state, canaries = canaries, plain = plain, step = step.step, avoid = lane.roots,
    mayRepeat = lane.state ~= 'halted' or now >= lane.nextAt + ${repeatAfterMs}, ['until'] = nextGrantAt(lane) or cjson.null,
    isSuspect = isSuspect(lane), isUnknown = unknownOf(lane) > 0,
  }
end

-- Not in the lane's text, which would then be written by each call.
local function addUp(id, wanted, isNew)
  if isNew then redis.call('ZREM', recordsKey, id) end
  redis.call('ZADD', recordsKey, 'INCR', wanted, id)
  redis.call('PEXPIRE', recordsKey, ${forgetAfterMs})
end

local function configOf(one)
  local config = {}
  for name, value in pairs(call.config) do config[name] = value end
  if one.isSilent then config.byReport = nil end
  return config
end

local function ask(one)
  local lane = read(one.lane)
  if one.wanted == 0 then
    if lane then return grant(lane, 0, {}) end
    return { state = 'canary', canaries = 0, plain = 0, step = 0, avoid = {}, mayRepeat = true, isSuspect = false, isUnknown = false, ['until'] = cjson.null }
  end
  isWanted = true
  if not one.isAgain then addUp(one.lane, one.wanted, not lane) end
  local config = configOf(one)
  if lane then
    for name, value in pairs(config) do lane.config[name] = value end
    for _, name in ipairs({ 'byReport', 'byAsking' }) do
      if lane.config[name] and not config[name] then lane.config[name] = nil end
    end
  else
    lane = newLane(call.drain, one.origin, config)
  end
  local answer = grant(lane, one.wanted, one.resumeMinutes)
  put(one.lane, lane)
  return answer
end

local answers = {}
for i, one in ipairs(call.asks) do answers[i] = ask(one) end
local reply = cjson.encode({ at = now, answers = answers })
return isWanted and mark(reply) or reply
`;

/**
 * ARGV[2]: { sent: [LaneSent] }. Returns: JSON 1. Effects: the watch of these steps begins again; the lanes are in use.
 * Run twice: marked.
 */
export const sentScript = luaScript("lanes:sent")`${lanePreludeLua}
local function recordSent(lane, step, sent)
  resolve(step, sent)
  -- A proven message may be reported late. Counted twice, it would look like one that has survived.
  local counted = math.min(sent, step.unreported or 0)
  step.unreported = (step.unreported or 0) - counted
  step.sent = step.sent + sent - counted
  step.firstAt = step.firstAt or now
  step.lastAt = now
  -- An answer of the service from before says nothing about these. If they are late, they are the fresh ones.
  step.isAsked, step.clearedAt, step.mayAdd = nil, nil, nil
  -- A lane that is always in use would otherwise never get its listing check.
  step.lookAt = lane.state == 'open' and step.lookAt or now + math.floor(step.watchMs / 2)
  if lane.state == 'halted' then lane.nextAt = now + lane.probeEvery end
end

-- The last ones, each once: where it came last.
local function lastRoots(old, new)
  local isNew, roots = {}, {}
  for _, root in ipairs(new) do isNew[root] = true end
  for _, root in ipairs(old) do
    if not isNew[root] then roots[#roots + 1] = root end
  end
  for _, root in ipairs(new) do roots[#roots + 1] = root end
  while #roots > ${rememberedRoots} do table.remove(roots, 1) end
  return roots
end

for _, one in ipairs(call.sent) do
  local lane = read(one.lane)
  if lane then
    lane.usedAt = now
    addTotal(lane, 'canaries', #one.roots)
    lane.roots = lastRoots(lane.roots, one.roots)
    local step = stepOf(lane, one.step)
    if step then recordSent(lane, step, #one.roots) end
    put(one.lane, lane)
  end
end
return mark('1')
`;

/** ARGV[2]: { unused: [LaneUnused] }. Returns: JSON 1. Effects: so many grants are under way no more. Run twice: marked. */
export const giveBackScript = luaScript("lanes:giveBack")`${lanePreludeLua}
for _, one in ipairs(call.unused) do
  local lane = read(one.lane)
  if lane then
    if #one.resumeMinutes > 0 then remember(lane, one.resumeMinutes) end
    local step = stepOf(lane, one.step)
    if step then
      resolve(step, one.count)
      dropEmptyPrevious(lane)
    end
    put(one.lane, lane)
  end
end
return mark('1')
`;
