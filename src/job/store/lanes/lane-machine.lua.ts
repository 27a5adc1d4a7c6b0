import { maxProbe } from "../../contracts/lanes.ts";
import {
  callAgainMs,
  checkEveryMs,
  idleMs,
  maxJudged,
  suspectMs,
  watchesUntilAnew,
} from "./lane-constants.ts";
import { laneModelLua } from "./lane-record-and-grants.lua.ts";

/**
 * How one lane gets from one state to the next. lane-record-and-grants.lua.ts has its fields and what it lets go.
 *
 * An **ask** is a page that wants messages to go. **Sent** is the news that canaries were published. A **report**
 * says that one was delivered. A **check** is a listing that began after a watch, and was read to its end: each
 * canary is back in it, or silent.
 *
 * **Too many** come-backs: more than `haltAt` of a step, or all of it, are back as in an outage. Counted is what was
 * sent or is under way, or the planned size while the step takes messages. Of an open lane only what was sent counts.
 *
 * When the lane is **new**, nothing is known of it, or it was unused for seven days. The first ask makes it `canary`.
 *
 * When the lane is **`canary`**, it collects one step of `canary` messages, and holds all others.
 *
 * - Ask: what the step lacks goes, as canaries. The minutes in which the others entered are remembered.
 * - The step takes messages until it is full, or for half a watch after its first. Then its size is what was sent.
 * - Sent: the watch of the step begins again.
 * - Come-back: too many halt the lane at once, as by an outage.
 * - Check: some survived, so the next step is ten times what is known of this one, and at least `canary`.
 *   If that is `openFrom` (300) or more, the lane is `open`, else `ramping`.
 * - All of three or more are back, and not too many: the lane is halted by refusals.
 * - All of one or two are back, and not too many: too few to tell. The step is run again under a new number.
 * - Report: if all of a step that takes no more are reported or back, it is judged as by a check.
 * - The service says that nothing waits there: silence is proof once each canary has ended.
 * - Check without proof, with `callbacks` or `watchDeliveries`: the step is watched again, for one watch, and then
 *   each time for twice as long, at most three times `probeEvery`. With `callbacks` one fresh canary may go each
 *   time. After eight such watches the step is run again under a new number.
 * - A canary that was granted, and neither sent nor given back: the step waits until it is too old to be sent.
 *   If nothing else is known of the step, it then takes a new number.
 *
 * When the lane is **`ramping`**, a step or a probe has survived. All is as in `canary`, but for two things:
 *
 * - Its step keeps the size that it was given, whatever the settings are now.
 * - Ask, if no canary was sent for an hour, and for three watches: the lane is `canary`.
 *
 * When the lane is **`open`**, all goes that the limits allow. In each watch, ten times `canary` of it are canaries.
 *
 * - Ask: the share of these that has gone grows with the watch. One goes at once. All else goes as it is.
 * - Ask, if no canary was sent for an hour, and for three watches: the lane is `canary`.
 * - Ask, a watch after the step's first: the step is watched, and the next one collects. If the one before it is
 *   not judged yet, no canary goes until it is.
 * - Ask, a watch and a minute after the end of a watch, and still no verdict: nothing goes until there is one.
 * - Come-back: too many halt the lane at once. If one is too many of fewer than `canary`, it halts only if the
 *   step that was judged last had such a one.
 * - Check: the step is judged, and the lane stays open. All of three or more back halt it, as in `canary`.
 * - Check without proof: the step is watched again, each time for one watch. After eight, the lane is `canary`.
 *   With `watchDeliveries` it stays open, and only the step is dropped.
 * - A canary that was granted, and neither sent nor given back: nothing waits for it.
 *
 * When the lane is **`halted`**, it lets one probe go after each interval, and holds all else.
 *
 * - The interval begins at `probeEvery`. A lane that halts before it was open for ten watches keeps its last one.
 * - Ask: the probe goes if it is due. The minutes in which the others entered are remembered.
 * - Sent: the next probe is due one interval later.
 * - The probe survives by a check or a report, or is refused as before: `ramping`, with ten times `canary`.
 * - The same, but the last halt from `ramping` or `open` came before ten watches of `open`: `canary`.
 *   So too if ten times `canary` is `openFrom` or more.
 * - Come-back, refused for the first time, and an outage halted the lane: `canary`. It goes on so once, and then
 *   only after something has survived.
 * - Any other come-back: the lane stays halted. The interval is 1.5 times as long, at most three times `probeEvery`.
 * - Check without proof: the interval grows too, and the probe is watched again. With `callbacks` a fresh one may go.
 * - A probe that was given back can go again at once. One that was neither sent nor given back keeps its interval.
 * - A person's probe: the next one is due now, unless one is out.
 *
 * When the lane is in **any** of these states:
 *
 * - A check is asked for at half of a watch and at its end, and then until the step is judged.
 * - A canary of the last four steps that survived fails after all: it counts with its step. If more than `haltAt`
 *   of it did so as in an outage, the lane halts. A single one of fewer than `canary` halts no open lane.
 * - A come-back took longer than a watch: the watches of the lane are as long, and halve with each step that
 *   survives one.
 * - News of a step that the lane has forgotten: it counts for no step.
 * - A person's probe: nothing changes, unless the lane is halted.
 * - A person's reset: the lane is `canary`, and forgets what it knew of failures. Its totals stay.
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
  enter(lane, 'halted', why)
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
    lane.step = newStep(step.step + 1, step.size, lane)
  end
end

-- Messages known to be bad that were refused as before. They show that the receiver answers.
local function againOf(step)
  local again = {}
  for parent, said in pairs(step.delivered) do again[parent] = said ~= 1 and said or nil end
  return again
end

local function whyResumed(step, survived)
  local again = againOf(step)
  if survived > count(again) then return 'the probe did not fail again' end
  if survived > 0 then return 'a probe was answered, refused as before, ' .. statusesOf(again) end
  return 'the receiver answers, ' .. statusesOf(step.back)
end

local function judgeProbe(lane, step, survived)
  local back = count(step.back)
  local isUp = lane.cause == 'down' and not lane.isMixed and downOf(step) < back
  if survived > 0 or isUp then
    local why = whyResumed(step, survived)
    lane.isMixed = survived == 0 or nil
    local canary = lane.config.canary
    local isRamping = survived > 0 and not lane.isShaky and 10 * canary < lane.config.openFrom
    enter(lane, isRamping and 'ramping' or 'canary', why, isRamping and 10 * canary)
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

-- How many canaries of a step whose watch is over survived it, or nil: nothing is known. Silence shows nothing
-- while the service lets messages wait.
local function survivorsOf(lane, step, checkedAt)
  local silent = takenOf(step) - count(step.back)
  if not step.byReport and not step.byAsking then return silent end
  if step.clearedAt and checkedAt >= step.clearedAt then return silent end
  if step.clearedAt then return nil end
  local reported = count(step.delivered)
  local isFailed = lane.state == 'halted' and count(step.back) > 0
  return step.byReport and (reported > 0 or isFailed) and reported or nil
end

-- Its watch showed nothing: it is watched again, for twice as long, and then it is run again. Where only reports
-- show anything, a fresh canary may go. An open lane sends nothing by then, so it is asked about in each watch.
local function watchAgain(lane, step)
  if step.clearedAt then
    step.endsAt = step.clearedAt
    return false
  end
  step.again = (step.again or 0) + 1
  step.isAsked = nil
  local isOpen, most = lane.state == 'open', math.max(step.watchMs, ${maxProbe} * lane.config.probeEveryMs)
  step.endsAt = now + (isOpen and step.watchMs or math.min(most, step.watchMs * 2 ^ (step.again - 1)))
  step.lookAt = step.endsAt
  step.mayAdd = not isOpen and step.byReport or nil
  lane.why = string.format('%.0f of %.0f are not known to be delivered', takenOf(step) - proven(step), takenOf(step))
  if lane.state == 'halted' then
    lane.probeEvery = probeEveryOf(lane, 1.5)
    lane.nextAt = now + lane.probeEvery
  elseif isOpen and not step.byAsking and step.again >= ${watchesUntilAnew} then
    enter(lane, 'canary', 'nothing is known of its canaries')
    return true
  elseif step.again >= ${watchesUntilAnew} then
    dropStep(lane, step)
  end
  return false
end

-- What survived, for those of it that fail again later.
local function rememberJudged(lane, step, whole)
  local judged = lane.judged or {}
  local missing = step.byReport and not step.clearedAt and knownOf(step) - proven(step) or 0
  judged[#judged + 1] = {
    step = step.step, whole = whole, haltAt = step.haltAt, back = step.back, again = againOf(step), at = now,
    missing = missing > 0 and missing or nil, heard = missing > 0 and step.delivered or nil,
  }
  if #judged > ${maxJudged} then
    local first = table.remove(judged, 1)
    lane.missing = (lane.missing or 0) + (first.missing or 0)
    if first.missing then lane.missingAt = now end
    if lane.missing == 0 then lane.missing = nil end
  end
  lane.judged = judged
  local slowMs = lane.slowMs
  if not slowMs or step.watchMs < slowMs then return end
  lane.slowMs = slowMs > 2 * lane.config.watchMs and math.floor(slowMs / 2) or nil
end

-- True if the lane is now in another state, or at the next size.
local function judge(lane, step, checkedAt)
  local back, whole = count(step.back), wholeOf(lane, step)
  -- An open lane sends more than its canaries.
  local of = lane.state == 'open' and ' canaries' or ''
  local failedAgain = string.format('%.0f of %.0f%s failed again, %s', back, whole, of, statusesOf(step.back))
  -- 0.29 of 100 is a little less than 29 in binary. If haltAt is 1, all of them are too many.
  local isTooMany = downOf(step) > step.haltAt * whole + 1e-9 or downOf(step) >= whole
  local isByChance = isTooMany and mayBeByChance(lane, step, whole)
  if lane.state ~= 'halted' and isTooMany and not isByChance then
    halt(lane, 'down', failedAgain)
    return true
  end
  local isOver = checkedAt and step.lastAt and not waitsForGrants(lane, step) and checkedAt >= endOf(step)
  local isAllKnown = isClosed(lane, step) and proven(step) >= countedOf(lane, step)
  if not isOver and not isAllKnown then return false end
  local survivors = isAllKnown and takenOf(step) - back or survivorsOf(lane, step, checkedAt)
  if not survivors then return watchAgain(lane, step) end
  if lane.state == 'halted' then
    if survivors > 0 then rememberJudged(lane, step, whole) end
    return judgeProbe(lane, step, survivors)
  end
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
  rememberJudged(lane, step, whole)
  if lane.state == 'open' then
    lane.isDoubted = isByChance or nil
    -- It shows what an earlier one could not.
    if step == lane.step and lane.previous and lane.previous.again then lane.previous = nil end
    dropStep(lane, step)
    return false
  end
  -- What nobody knows of counts for nothing.
  local known = isClosed(lane, step) and math.min(whole, survivors + back) or whole
  local size = math.max(10 * known, lane.config.canary)
  local isOpen = size >= lane.config.openFrom
  local why = back == 0 and string.format('none of %.0f failed again', known) or failedAgain
  lane.isMixed = nil
  enter(lane, isOpen and 'open' or 'ramping', why, not isOpen and size)
  return true
end

local function report(id, lane, from, sent, comeBacks)
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

-- Judges a step if possible, and returns the LaneChange or nil. checkedAt: when a listing began that showed
-- all of its come-backs.
local function judgeAndReport(id, lane, step, checkedAt)
  local from, sent, comeBacks = lane.state, knownOf(step), count(step.back)
  if judge(lane, step, checkedAt) then return report(id, lane, from, sent, comeBacks) end
end

-- A step that was taken as survived, and was not: what waited at the service fails later than its watch.
local function haltForLate(id, lane, judged)
  if lane.state == 'halted' then return nil end
  local from, down, back = lane.state, downOf(judged), count(judged.back)
  if from == 'open' and down == 1 and judged.whole < lane.config.canary then return nil end
  if down <= judged.haltAt * judged.whole + 1e-9 then return nil end
  halt(lane, 'down', string.format('%.0f of %.0f canaries failed again after their watch, %s', back, judged.whole, statusesOf(judged.back)))
  lane.judged = nil
  return report(id, lane, from, judged.whole, back)
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
    at = step.lastAt and endOf(step) or step.firstAt + step.watchMs
  end
  return at > now and at or now + ${checkEveryMs}
end

-- When the step wants a listing check: halfway through its watch, and at its end if it waits for no grants.
local function wantsCheckAt(lane, step)
  if not step.lookAt or not step.lastAt then return nil end
  if waitsForGrants(lane, step) and step.lookAt >= endOf(step) then
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
  if lane.state == 'halted' and (takenOf(step) == 0 or step.mayAdd) then return math.max(at, lane.nextAt) end
  if roomOf(lane) > 0 then return at end
  return step.underWay > 0 and math.max(at, step.grantAt + grantLife + 1) or nil
end
`;
