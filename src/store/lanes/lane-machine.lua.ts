import { maxProbe } from "../../ports/lanes.ts";
import { callAgainMs, checkEveryMs, idleMs, suspectMs } from "./lane-constants.ts";
import { laneModelLua } from "./lane-record-and-grants.lua.ts";

/**
 * How one lane gets from one state to the next (docs/lanes.md). lane-record-and-grants.lua.ts has its fields
 * and what it lets go.
 */
export const laneMachineLua = `${laneModelLua}
-- The three most frequent statuses, for people.
local function statusesOf(saids)
  local counts, statuses, texts = {}, {}, {}
  for _, said in pairs(saids) do
    local status = tonumber(string.sub(said, 2))
    if not counts[status] then statuses[#statuses + 1] = status end
    counts[status] = (counts[status] or 0) + 1
  end
  table.sort(statuses, function(a, b)
    if counts[a] ~= counts[b] then return counts[a] > counts[b] end
    return a < b
  end)
  for i = 1, math.min(3, #statuses) do
    texts[i] = statuses[i] == 0 and 'no answer' or string.format('%.0f', statuses[i])
  end
  return table.concat(texts, ', ')
end

local function probeEveryOf(lane, factor)
  local least = lane.config.probeEveryMs
  local every = math.ceil((lane.probeEvery or least) * factor)
  return math.min(math.max(every, least), ${maxProbe} * least)
end

local function halt(lane, cause, why)
  if lane.state ~= 'canary' then lane.isShaky = not isSteady(lane) or nil end
  enter(lane, 'halted', why, sizeIn('halted', lane.config))
  lane.cause = cause
  addTotal(lane, 'halts', 1)
  lane.probeEvery = probeEveryOf(lane, 1)
  lane.nextAt = now + lane.probeEvery
end

-- The step begins again under a new number.
local function dropStep(lane, step)
  if step == lane.previous then
    lane.previous = nil
  else
    lane.step = newStep(step.step + 1, step.size, lane.config)
  end
end

-- Messages known to be bad that were refused as before. They show that the receiver answers.
local function againOf(step)
  local again = {}
  for parent, said in pairs(step.delivered) do
    if said ~= 1 then again[parent] = said end
  end
  return again
end

local function whyResumed(step, survived)
  local again = againOf(step)
  if survived > count(again) then return 'the probe did not fail again' end
  if survived > 0 then return 'a probe was answered, refused as before, ' .. statusesOf(again) end
  return 'the receiver answers, ' .. statusesOf(step.back)
end

local function judgeProbe(lane, step)
  local back = count(step.back)
  local survived = takenOf(step) - back
  local isUp = lane.cause == 'down' and not lane.isMixed and downOf(step) < back
  if survived > 0 or isUp then
    local why = whyResumed(step, survived)
    lane.isMixed = survived == 0 or nil
    local canary = lane.config.canary
    if survived > 0 and not lane.isShaky and 10 * canary < lane.config.openFrom then
      enter(lane, 'ramping', why, 10 * canary)
    else
      enter(lane, 'canary', why, sizeIn('canary', lane.config))
    end
    lane.nextAt = nil
    return true
  end
  lane.probeEvery = probeEveryOf(lane, 1.5)
  lane.nextAt = now + lane.probeEvery
  lane.why = 'a probe failed again, ' .. statusesOf(step.back)
  dropStep(lane, step)
  return false
end

-- One come-back of an open lane with few canaries may be chance. The next period decides.
local function mayBeByChance(lane, step, whole)
  return lane.state == 'open' and not lane.isDoubted and downOf(step) == 1 and whole < lane.config.canary
end

-- True if the lane is now in another state, or at the next size.
local function judge(lane, step, checkedAt)
  local back, whole = count(step.back), wholeOf(lane, step)
  local failedAgain = string.format('%.0f of %.0f failed again, %s', back, whole, statusesOf(step.back))
  -- 0.29 of 100 is a little less than 29 in binary. If haltAt is 1, all of them are too many.
  local isTooMany = downOf(step) > step.haltAt * whole + 1e-9 or downOf(step) >= whole
  local isByChance = isTooMany and mayBeByChance(lane, step, whole)
  if lane.state ~= 'halted' and isTooMany and not isByChance then
    halt(lane, 'down', failedAgain)
    return true
  end
  local isSilent = checkedAt and step.lastAt and not waitsForGrants(lane, step) and checkedAt >= step.lastAt + step.watchMs
  local isAllKnown = isClosed(lane, step) and proven(step) >= countedOf(lane, step)
  if not isSilent and not isAllKnown then return false end
  if lane.state == 'halted' then return judgeProbe(lane, step) end
  if back >= whole then
    if whole >= 3 then
      halt(lane, 'refused', failedAgain)
      return true
    end
    lane.why = failedAgain .. ': too few to tell'
    lane.isDoubted = isByChance or nil
    dropStep(lane, step)
    return false
  end
  if lane.state == 'open' then
    lane.isDoubted = isByChance or nil
    dropStep(lane, step)
    return false
  end
  local size = math.max(10 * whole, lane.config.canary)
  local isOpen = size >= lane.config.openFrom
  local why = back == 0 and string.format('none of %.0f failed again', whole) or failedAgain
  lane.isMixed = nil
  enter(lane, isOpen and 'open' or 'ramping', why, isOpen and sizeIn('open', lane.config) or size)
  return true
end

-- Judges a step if possible, and returns the LaneChange or nil. checkedAt: when a listing began that showed
-- all of its come-backs.
local function judgeAndReport(id, lane, step, checkedAt)
  local from, sent, comeBacks = lane.state, knownOf(step), count(step.back)
  if not judge(lane, step, checkedAt) then return nil end
  local takes = lane.state == 'canary' or lane.state == 'ramping'
  local resumeMinutes = takes and takeResumeMinutes(lane) or {}
  local wantsFull = lane.state == 'open' or (takes and lane.hasHeld and #resumeMinutes == 0)
  if wantsFull then lane.hasHeld = nil end
  return {
    kind = 'moved', lane = id, drain = lane.drain, origin = lane.origin, from = from, to = lane.state,
    size = lane.state == 'halted' and 0 or lane.step.size, why = lane.why, sent = sent, comeBacks = comeBacks,
    resumeMinutes = resumeMinutes, wantsFull = wantsFull or false,
  }
end

-- Whether a message may have failed only because of an outage. A halted lane is not suspect for ever.
local function isSuspect(lane)
  if lane.state == 'halted' then return now - lane.usedAt <= ${suspectMs} end
  return lane.state ~= 'open' and lane.resumedAt ~= nil and now - lane.resumedAt <= ${idleMs}
end

-- When the next step or probe can be granted, as far as is known.
local function nextGrantAt(lane)
  local step, at = lane.step, nil
  if lane.state == 'open' then return isBlind(lane) and now + ${checkEveryMs} or nil end
  if lane.state == 'halted' then
    if takenOf(step) == 0 then return lane.nextAt end
    at = step.underWay > 0 and step.grantAt + lane.probeEvery or lane.nextAt
  else
    if roomOf(lane) > 0 then return now end
    at = (step.lastAt or step.firstAt) + step.watchMs
  end
  return at > now and at or now + ${checkEveryMs}
end

-- When the step wants a listing check: halfway through its watch, and at its end if it waits for no grants.
local function wantsCheckAt(lane, step)
  if not step.lookAt or not step.lastAt then return nil end
  if waitsForGrants(lane, step) and step.lookAt >= step.lastAt + step.watchMs then
    return math.max(step.lookAt, step.grantAt + grantLife + 1)
  end
  return step.lookAt
end

-- When its resume minutes are handed out, because there is room for their messages.
local function readyAt(lane)
  local step = lane.step
  if (#lane.places == 0 and not lane.isAsked) or isBlind(lane) then return nil end
  local at = step.calledAt and step.calledAt + ${callAgainMs} or lane.since
  if lane.state == 'open' then return at end
  if lane.state == 'halted' and takenOf(step) == 0 then return math.max(at, lane.nextAt) end
  if roomOf(lane) > 0 then return at end
  return step.underWay > 0 and math.max(at, step.grantAt + grantLife + 1) or nil
end
`;
