import {
  blindAfterMs,
  forgetAfterMs,
  idleMs,
  maxResumeMinutes,
  probeMinutes,
  steadyWatches,
} from "./lane-constants.ts";

/**
 * One lane as the scripts have it, and what it lets go. lane-machine.lua.ts judges it. Expects `now` and `grantLife`, and
 * `read` and `put` around it. A lane is JSON: docs/internals/lanes-in-detail.md, "What is remembered", has its fields.
 */
export const laneModelLua = `
local function count(set)
  local n = 0
  for _ in pairs(set) do n = n + 1 end
  return n
end

-- No step is watched for less long than a failure has taken lately.
local function plan(lane, step)
  local config = lane.config
  step.watchMs = math.max(config.watchMs, lane.slowMs or 0)
  step.haltAt = config.haltAt
  step.byReport = config.byReport or nil
  step.byAsking = config.byAsking or nil
  return step
end

local function newStep(number, size, lane)
  return plan(lane, { step = number, size = size, underWay = 0, forgotten = 0, sent = 0, back = {}, delivered = {} })
end

local function newLane(drain, origin, config)
  local lane = {
    drain = drain, origin = origin, state = 'canary', since = now, why = 'new', config = config,
    places = {}, roots = {}, canaries = 0, comeBacks = 0, halts = 0, usedAt = now,
  }
  -- A message of a forgotten step may still come back. A number made of the time is not used twice.
  lane.step = newStep(math.floor(now / 1000), config.canary, lane)
  return lane
end

local function stepsOf(lane)
  if lane.previous then return { lane.previous, lane.step } end
  return { lane.step }
end

local function proven(step) return count(step.back) + count(step.delivered) end
local function knownOf(step) return math.max(step.sent, proven(step)) end
local function takenOf(step) return math.max(step.sent + step.underWay, proven(step)) end

-- When what is known of its canaries decides. A watch that showed nothing was followed by another.
local function endOf(step) return math.max(step.endsAt or 0, step.lastAt + step.watchMs) end

-- Canaries whose watch is over, and of which nobody knows what became of them.
local function unknownOf(lane)
  local unknown = 0
  for _, step in ipairs(stepsOf(lane)) do
    if step.again then unknown = unknown + knownOf(step) - proven(step) end
  end
  return unknown
end

-- With those of judged steps that nobody has reported, for an hour.
local function undeliveredOf(lane)
  local undelivered = unknownOf(lane)
  for _, judged in ipairs(lane.judged or {}) do
    if judged.missing and now - judged.at < ${idleMs} then undelivered = undelivered + judged.missing end
  end
  if lane.missing and now - lane.missingAt < ${idleMs} then undelivered = undelivered + lane.missing end
  return undelivered
end

local function isClosed(lane, step)
  local known = knownOf(step)
  if known >= step.size then return true end
  local gather = lane.state == 'open' and step.watchMs or math.floor(step.watchMs / 2)
  return known > 0 and now >= step.firstAt + gather
end

-- An open lane waits for nobody's grants: plain messages go beside its canaries, and what is sent late is a
-- smaller sample.
local function waitsForGrants(lane, step) return lane.state ~= 'open' and step.underWay > 0 end
local function countedOf(lane, step) return lane.state == 'open' and knownOf(step) or takenOf(step) end
local function wholeOf(lane, step) return isClosed(lane, step) and countedOf(lane, step) or step.size end

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

-- The lane as of now, or nil if it has been unused for too long. If the clock was set back, its times move.
-- Grants that are too old are forgotten.
local function atNow(lane)
  local back = lane.at - now
  if back > 1000 then
    local function move(from, names)
      for _, name in ipairs(names) do
        if from[name] then from[name] = from[name] - back end
      end
    end
    move(lane, { 'since', 'usedAt', 'nextAt', 'resumedAt', 'missingAt' })
    for _, step in ipairs(stepsOf(lane)) do move(step, { 'firstAt', 'grantAt', 'lastAt', 'lookAt', 'calledAt', 'clearedAt', 'endsAt' }) end
  end
  if now - lane.usedAt > ${forgetAfterMs} then return nil end
  for _, step in ipairs(stepsOf(lane)) do
    if step.underWay > 0 and now - step.grantAt > grantLife then
      -- A proven message was sent.
      local sent = knownOf(step)
      step.forgotten = step.forgotten + math.max(0, step.underWay - (sent - step.sent))
      step.unreported = (step.unreported or 0) + sent - step.sent
      step.sent = sent
      step.underWay = 0
      -- A forgotten probe may have been published all the same.
      if lane.state == 'halted' then lane.nextAt = math.max(lane.nextAt, step.grantAt + lane.probeEvery) end
      -- A new number: late reports of its workers must not count for the step that follows.
      if step == lane.step and takenOf(step) == 0 then lane.step = newStep(step.step + 1, step.size, lane) end
    end
  end
  dropEmptyPrevious(lane)
  return lane
end

-- Open for so long that earlier halts no longer matter.
local function isSteady(lane)
  return lane.state == 'open' and lane.usedAt - lane.since >= ${steadyWatches} * lane.config.watchMs
end

-- \`size\`: of its step, if not as its state has it.
local function enter(lane, state, why, size)
  if isSteady(lane) then lane.probeEvery = nil end
  lane.isDoubted = nil
  lane.isAsked = nil
  if lane.state == 'halted' then lane.resumedAt = now end
  lane.state = state
  lane.why = why
  lane.since = now
  lane.step = newStep(lane.step.step + 1, size or sizeIn(state, lane.config), lane)
  lane.previous = nil
  -- A full pass finds the messages of all minutes.
  if state == 'open' then lane.places = {} end
end

-- Minutes are stored as counts of minutes. Of too many, the oldest and the youngest stay.
local function remember(lane, resumeMinutes)
  local isKnown, all = {}, {}
  local function add(minute)
    if not isKnown[minute] then all[#all + 1] = minute end
    isKnown[minute] = true
  end
  for _, minute in ipairs(lane.places) do add(minute) end
  for _, start in ipairs(resumeMinutes) do add(start / 60000) end
  table.sort(all)
  lane.hasHeld = true
  lane.places = {}
  for i, minute in ipairs(all) do
    if i <= ${maxResumeMinutes / 2} or i > #all - ${maxResumeMinutes / 2} then lane.places[#lane.places + 1] = minute end
  end
end

-- Hands out as many minutes as the next grant needs. A denied message reports its minute again.
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

-- A step without a grant yet takes the current settings.
local function planAgain(lane)
  local step, config = lane.step, lane.config
  if takenOf(step) > 0 then return end
  -- Even nil is a new key where there was none, and moves others in the text.
  if step.firstAt then step.firstAt = nil end
  plan(lane, step)
  if lane.state ~= 'ramping' then step.size = sizeIn(lane.state, config) end
end

local function becomeNewWhenIdle(lane)
  if lane.state ~= 'open' and lane.state ~= 'ramping' then return end
  if now - lane.usedAt <= math.max(${idleMs}, 3 * lane.config.watchMs) then return end
  for _, step in ipairs(stepsOf(lane)) do
    if step.underWay > 0 then return end
  end
  enter(lane, 'canary', 'unused for 1 h')
end

-- An open lane collects for one watch. Then that step is watched while the next one collects.
local function beginPeriod(lane)
  local step = lane.step
  if lane.state ~= 'open' or not step.firstAt or now < step.firstAt + step.watchMs then return end
  if lane.previous and knownOf(lane.previous) > 0 then return end
  lane.previous = step
  lane.step = newStep(step.step + 1, sizeIn('open', lane.config), lane)
end

-- Open, and the collected step has waited a watch and a minute too long for its verdict: no listing check
-- looks for its come-backs.
local function isBlind(lane)
  local previous = lane.previous
  if lane.state ~= 'open' or not previous or not previous.lastAt then return false end
  return now > previous.lastAt + 2 * previous.watchMs + ${blindAfterMs}
end

-- How many canaries may be granted now.
local function roomOf(lane)
  local step, taken = lane.step, takenOf(lane.step)
  if lane.state == 'halted' then return (taken == 0 or step.mayAdd) and now >= lane.nextAt and 1 or 0 end
  if step.mayAdd then return step.underWay == 0 and 1 or 0 end
  if lane.state ~= 'open' then return isClosed(lane, step) and 0 or math.max(0, step.size - taken) end
  if isBlind(lane) then return 0 end
  local elapsed = step.firstAt and now - step.firstAt or 0
  if elapsed >= step.watchMs then return 0 end
  return math.max(0, math.max(1, math.ceil(step.size * elapsed / step.watchMs)) - taken)
end
`;
