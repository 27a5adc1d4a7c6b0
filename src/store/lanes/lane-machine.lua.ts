import {
  blindAfterMs,
  callAgainMs,
  forgetAfterMs,
  idleMs,
  maxProbe,
  checkEveryMs,
  maxResumeMinutes,
  probeMinutes,
  steadyWatches,
  suspectMs,
} from "./lane-numbers.ts";

/**
 * One lane as the scripts have it, and how it gets from one state to the next (docs/lanes.md).
 * Expects `now` and `grantLife`, and `read` and `put` around it.
 *
 * A lane is JSON: v layout, drain, origin, state, since, why, at (written last), config, step, previous?, cause? (what halted it), resumedAt?, nextAt?,
 * probeEvery?, isShaky?, isDoubted?, isMixed?, places, hasHeld?, roots, canaries, comeBacks, halts, usedAt. A step: step, size, watchMs, haltAt, underWay, forgotten,
 * sent, firstAt?, grantAt?, lastAt?, lookAt?, calledAt?, back { short hash of the parent: d or r and the status }, delivered { hash: 1, or a and the status }.
 */
export const laneMachineLua = `
local function count(set)
  local n = 0
  for _ in pairs(set) do n = n + 1 end
  return n
end

local function newStep(number, size, config)
  return {
    step = number, size = size, watchMs = config.watchMs, haltAt = config.haltAt,
    underWay = 0, forgotten = 0, sent = 0, back = {}, delivered = {},
  }
end

local function newLane(drain, origin, config)
  return {
    drain = drain, origin = origin, state = 'canary', since = now, why = 'new', config = config,
    -- What Redis has forgotten may still come back: a number by time is not used again.
    step = newStep(math.floor(now / 1000), config.canary, config),
    places = {}, roots = {}, canaries = 0, comeBacks = 0, halts = 0, usedAt = now,
  }
end

local function stepsOf(lane)
  if lane.previous then return { lane.previous, lane.step } end
  return { lane.step }
end

local function proven(step) return count(step.back) + count(step.delivered) end
local function knownOf(step) return math.max(step.sent, proven(step)) end
local function takenOf(step) return math.max(step.sent + step.underWay, proven(step)) end

local function isClosed(lane, step)
  local known = knownOf(step)
  if known >= step.size then return true end
  local gather = lane.state == 'open' and step.watchMs or math.floor(step.watchMs / 2)
  return known > 0 and now >= step.firstAt + gather
end

-- An open lane waits for nobody's grants: plain messages go beside its canaries, and what is sent late is a smaller sample.
local function waitsForGrants(lane, step) return lane.state ~= 'open' and step.underWay > 0 end
local function countedOf(lane, step) return lane.state == 'open' and knownOf(step) or takenOf(step) end

local function wholeOf(lane, step)
  return isClosed(lane, step) and countedOf(lane, step) or step.size
end

local function downOf(step)
  local down = 0
  for _, said in pairs(step.back) do
    if string.sub(said, 1, 1) == 'd' then down = down + 1 end
  end
  return down
end

local function sizeIn(state, config)
  if state == 'halted' then return 1 end
  return state == 'open' and 10 * config.canary or config.canary
end

local function dropEmptyPrevious(lane)
  if lane.previous and takenOf(lane.previous) == 0 then lane.previous = nil end
end

-- As it stands now: a clock that was set back moves its times, grants that are too old are forgotten. nil: too long unused.
local function atNow(lane)
  local back = lane.at - now
  if back > 1000 then
    local function move(from, names)
      for _, name in ipairs(names) do
        if from[name] then from[name] = from[name] - back end
      end
    end
    move(lane, { 'since', 'usedAt', 'nextAt', 'resumedAt' })
    for _, step in ipairs(stepsOf(lane)) do move(step, { 'firstAt', 'grantAt', 'lastAt', 'lookAt', 'calledAt' }) end
  end
  if now - lane.usedAt > ${forgetAfterMs} then return nil end
  for _, step in ipairs(stepsOf(lane)) do
    if step.underWay > 0 and now - step.grantAt > grantLife then
      -- What is proven of them was sent.
      local sent = knownOf(step)
      step.forgotten = step.forgotten + math.max(0, step.underWay - (sent - step.sent))
      step.sent = sent
      step.underWay = 0
      -- A forgotten probe may have been published all the same.
      if lane.state == 'halted' then lane.nextAt = math.max(lane.nextAt, step.grantAt + lane.probeEvery) end
      -- Begun anew, so that what its workers say later is not taken for this one's.
      if step == lane.step and takenOf(step) == 0 then lane.step = newStep(step.step + 1, step.size, lane.config) end
    end
  end
  dropEmptyPrevious(lane)
  return lane
end

-- Open for so long that what happened before says nothing any more.
local function isSteady(lane)
  return lane.state == 'open' and lane.usedAt - lane.since >= ${steadyWatches} * lane.config.watchMs
end

local function enter(lane, state, why, size)
  if isSteady(lane) then lane.probeEvery = nil end
  lane.isDoubted = nil
  if lane.state == 'halted' then lane.resumedAt = now end
  lane.state = state
  lane.why = why
  lane.since = now
  lane.step = newStep(lane.step.step + 1, size, lane.config)
  lane.previous = nil
  -- What is in them is found by a full pass.
  if state == 'open' then lane.places = {} end
end

-- Kept as counts of minutes, which are shorter. Of too many the oldest and the youngest are kept.
local function remember(lane, resumeMinutes)
  local isKnown, all = {}, {}
  local function add(minute)
    if not isKnown[minute] then all[#all + 1] = minute end
    isKnown[minute] = true
  end
  for _, minute in ipairs(lane.places) do add(minute) end
  for _, place in ipairs(resumeMinutes) do add(place / 60000) end
  table.sort(all)
  lane.hasHeld = true
  lane.places = {}
  for i, minute in ipairs(all) do
    if i <= ${maxResumeMinutes / 2} or i > #all - ${maxResumeMinutes / 2} then lane.places[#lane.places + 1] = minute end
  end
end

-- Hands out as many places as the next grant needs. They are told again by what is denied of them.
local function takeResumeMinutes(lane)
  local isProbe, taken, left = lane.state == 'halted' and #lane.places > ${probeMinutes}, {}, {}
  for i, minute in ipairs(lane.places) do
    if isProbe and i > 1 and i < #lane.places then
      left[#left + 1] = minute
    else
      taken[#taken + 1] = minute * 60000
    end
  end
  lane.places = left
  if #taken > 0 then lane.step.calledAt = now end
  return taken
end

-- A step of which nothing was granted yet takes what is asked for now.
local function planAgain(lane)
  local step, config = lane.step, lane.config
  if takenOf(step) > 0 then return end
  -- Even nil is a new key where there was none, and moves others in the text.
  if step.firstAt then step.firstAt = nil end
  step.watchMs = config.watchMs
  step.haltAt = config.haltAt
  if lane.state ~= 'ramping' then step.size = sizeIn(lane.state, config) end
end

local function becomeNewWhenIdle(lane)
  if lane.state ~= 'open' and lane.state ~= 'ramping' then return end
  if now - lane.usedAt <= math.max(${idleMs}, 3 * lane.config.watchMs) then return end
  for _, step in ipairs(stepsOf(lane)) do
    if step.underWay > 0 then return end
  end
  enter(lane, 'canary', 'unused for 1 h', sizeIn('canary', lane.config))
end

-- Of an open lane: what it collected for one watch is watched, while the next is collected.
local function beginPeriod(lane)
  local step = lane.step
  if lane.state ~= 'open' or not step.firstAt or now < step.firstAt + step.watchMs then return end
  if lane.previous and knownOf(lane.previous) > 0 then return end
  lane.previous = step
  lane.step = newStep(step.step + 1, sizeIn('open', lane.config), lane.config)
end

-- Open, and what it collected has waited for more than another watch, and a minute, to be judged: nobody sees whether it comes back.
local function isBlind(lane)
  local previous = lane.previous
  if lane.state ~= 'open' or not previous or not previous.lastAt then return false end
  return now > previous.lastAt + 2 * previous.watchMs + ${blindAfterMs}
end

-- How many canaries may be granted now.
local function roomOf(lane)
  local step, taken = lane.step, takenOf(lane.step)
  if lane.state == 'halted' then return taken == 0 and now >= lane.nextAt and 1 or 0 end
  if lane.state ~= 'open' then return isClosed(lane, step) and 0 or math.max(0, step.size - taken) end
  if isBlind(lane) then return 0 end
  local elapsed = step.firstAt and now - step.firstAt or 0
  if elapsed >= step.watchMs then return 0 end
  return math.max(0, math.max(1, math.ceil(step.size * elapsed / step.watchMs)) - taken)
end

-- The three most frequent.
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
  lane.halts = lane.halts + 1
  lane.probeEvery = probeEveryOf(lane, 1)
  lane.nextAt = now + lane.probeEvery
end

-- The same again, under a new number.
local function dropStep(lane, step)
  if step == lane.previous then
    lane.previous = nil
  else
    lane.step = newStep(step.step + 1, step.size, lane.config)
  end
end

-- Of what is known to be bad: it was answered, and refused as before.
local function againOf(step)
  local again = {}
  for parent, said in pairs(step.delivered) do
    if said ~= 1 then again[parent] = said end
  end
  return again
end

local function whyResumed(step, survived)
  local again = againOf(step)
  if survived > count(again) then return 'a probe survived' end
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
  lane.why = 'a probe came back, ' .. statusesOf(step.back)
  dropStep(lane, step)
  return false
end

-- One of an open lane that has few: the next period tells.
local function mayBeByChance(lane, step, whole)
  return lane.state == 'open' and not lane.isDoubted and downOf(step) == 1 and whole < lane.config.canary
end

-- Whether it is in another state, or at the next size.
local function judge(lane, step, checkedAt)
  local back, whole = count(step.back), wholeOf(lane, step)
  local cameBack = string.format('%.0f of %.0f came back, %s', back, whole, statusesOf(step.back))
  -- A share like 0.29 of 100 is a little less than 29 in binary. Nothing is more than all of it, which is too many all the same.
  local isTooMany = downOf(step) > step.haltAt * whole + 1e-9 or downOf(step) >= whole
  local isByChance = isTooMany and mayBeByChance(lane, step, whole)
  if lane.state ~= 'halted' and isTooMany and not isByChance then
    halt(lane, 'down', cameBack)
    return true
  end
  local isSilent = checkedAt and step.lastAt and not waitsForGrants(lane, step) and checkedAt >= step.lastAt + step.watchMs
  local isAllKnown = isClosed(lane, step) and proven(step) >= countedOf(lane, step)
  if not isSilent and not isAllKnown then return false end
  if lane.state == 'halted' then return judgeProbe(lane, step) end
  if back >= whole then
    if whole >= 3 then
      halt(lane, 'refused', cameBack)
      return true
    end
    lane.why = cameBack .. ': too few to tell'
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
  local why = string.format('%.0f of %.0f survived', whole - back, whole)
  lane.isMixed = nil
  enter(lane, isOpen and 'open' or 'ramping', why, isOpen and sizeIn('open', lane.config) or size)
  return true
end

-- Judges a step where it can be. lookedAt: when a listing began that showed all of its come-backs. Answers the LaneChange, or nil.
local function settle(id, lane, step, checkedAt)
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

-- Whether what failed in it may have failed for the outage alone; not for ever, where nothing is left to try.
local function isSuspect(lane)
  if lane.state == 'halted' then return now - lane.usedAt <= ${suspectMs} end
  return lane.state ~= 'open' and lane.resumedAt ~= nil and now - lane.resumedAt <= ${idleMs}
end

-- When the next step or probe can be granted, as far as anybody knows.
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

-- When the step wants a look: halfway through its watch, and when that is over and it waits for no grants.
local function wantsLookAt(lane, step)
  if not step.lookAt or not step.lastAt then return nil end
  if waitsForGrants(lane, step) and step.lookAt >= step.lastAt + step.watchMs then
    return math.max(step.lookAt, step.grantAt + grantLife + 1)
  end
  return step.lookAt
end

-- When what is in its places is to be called, because there is room for it.
local function readyAt(lane)
  local step = lane.step
  if #lane.places == 0 or isBlind(lane) then return nil end
  local at = step.calledAt and step.calledAt + ${callAgainMs} or lane.since
  if lane.state == 'open' then return at end
  if lane.state == 'halted' and takenOf(step) == 0 then return math.max(at, lane.nextAt) end
  if roomOf(lane) > 0 then return at end
  return step.underWay > 0 and math.max(at, step.grantAt + grantLife + 1) or nil
end
`;
