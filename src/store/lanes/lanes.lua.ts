import {
  laneStates,
  type LaneAnswer,
  type LaneChange,
  type LaneProbe,
  type LaneReady,
  type LaneReset,
  type LanesCounted,
  type LaneWatch,
} from "../../ports/lanes.ts";
import { defineScript } from "../../redis/script-runner.ts";
import { forgetAfterMs, checkEveryMs, maxDue, rememberedRoots, repeatAfterMs } from "./lane-constants.ts";
import { lanePreludeLua } from "./lane-prelude.lua.ts";

/**
 * ask: grants to one page of one drain.
 *
 * ARGV[2]: { drain, config, asks: [{ lane, origin, wanted, isAgain?, resumeMinutes }] }.
 * Returns: JSON { at, answers: [LaneAnswer] in order }.
 * Effects: the wanted messages of each lane are added up, unless they ask again. Granted canaries are under
 * way. New and idle lanes, and those at the end of a period, move on. Resume minutes of denied messages are
 * stored. None if `wanted` is 0.
 * Run twice: marked where anything is wanted.
 */
export const askScript = defineScript<{ at: number; answers: readonly LaneAnswer[] }>(
  "lanes:ask",
  `${lanePreludeLua}
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

local function ask(one)
  local lane = read(one.lane)
  if one.wanted == 0 then
    if lane then return grant(lane, 0, {}) end
    return { state = 'canary', canaries = 0, plain = 0, step = 0, avoid = {}, mayRepeat = true, isSuspect = false, isUnknown = false, ['until'] = cjson.null }
  end
  isWanted = true
  if not one.isAgain then addUp(one.lane, one.wanted, not lane) end
  if lane then
    for name, value in pairs(call.config) do lane.config[name] = value end
    for _, name in ipairs({ 'byReport', 'byAsking' }) do
      if lane.config[name] and not call.config[name] then lane.config[name] = nil end
    end
  else
    lane = newLane(call.drain, one.origin, call.config)
  end
  local answer = grant(lane, one.wanted, one.resumeMinutes)
  put(one.lane, lane)
  return answer
end

local answers = {}
for i, one in ipairs(call.asks) do answers[i] = ask(one) end
local reply = cjson.encode({ at = now, answers = answers })
return isWanted and mark(reply) or reply
`,
);

/**
 * sent: records what was published.
 *
 * ARGV[2]: { sent: [{ lane, step, roots }] }. Returns: JSON 1. Effects: the watch of these steps begins
 * again; the lanes are in use.
 * Run twice: marked.
 */
export const sentScript = defineScript(
  "lanes:sent",
  `${lanePreludeLua}
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

local function lastRoots(old, new)
  local isNew, roots = {}, {}
  for _, root in ipairs(new) do isNew[root] = true end
  for _, root in ipairs(old) do
    if not isNew[root] then roots[#roots + 1] = root end
  end
  for _, root in ipairs(new) do roots[#roots + 1] = root end
  local last = {}
  for i = math.max(1, #roots - ${rememberedRoots} + 1), #roots do last[#last + 1] = roots[i] end
  return last
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
`,
);

/**
 * giveBack: ARGV[2]: { unused: [{ lane, step, count, resumeMinutes }] }. Returns: JSON 1. Effects: so many
 * grants are under way no more; the minutes are recorded. Run twice: marked.
 */
export const giveBackScript = defineScript(
  "lanes:giveBack",
  `${lanePreludeLua}
for _, one in ipairs(call.unused) do
  local lane = read(one.lane)
  local step = lane and stepOf(lane, one.step)
  if lane and #one.resumeMinutes > 0 then remember(lane, one.resumeMinutes) end
  if step then
    resolve(step, one.count)
    dropEmptyPrevious(lane)
  end
  if lane then put(one.lane, lane) end
end
return mark('1')
`,
);

/**
 * prove: records come-backs and deliveries, and judges their steps.
 *
 * ARGV[2]: { lanes: [{ lane, steps: [step], proofs: [{ step, parent, said, took? }] }], checkedAt?, service? }: said
 * is d, r or a (again) and the status, or 1 for a delivery; took: ms from publish to failure. checkedAt: when a
 * listing began that showed all come-backs. service: what the service answered before that listing, if it was
 * asked for the named steps: { count, max } of deliveries under way, or { isAbsent }.
 * Returns: JSON list of the LaneChanges.
 * Effects: new proofs are recorded with their step. Each named step is judged if all of it is known, or if
 * too many of it are back. Also if its watch was over at checkedAt and none of it is under way. A step that
 * needs more than silence is then watched again, unless it has that. A step that survived is judged anew if
 * too many of it fail after all.
 * Run twice: a proof counts once; marked if a lane moved.
 */
export const proveScript = defineScript<readonly LaneChange[]>(
  "lanes:prove",
  `${lanePreludeLua}
-- A time that is still to come was read before the server's clock was set back.
local checkedAt = call.checkedAt and call.checkedAt <= now + 1000 and call.checkedAt or nil
local moves, service = {}, call.service
if service then
  service.at = now
  redis.call('HSET', totalsKey, 'service', cjson.encode(service))
end

-- Fewer deliveries than the service may make at once: nothing waits, so each canary was begun by now. It ends
-- within its timeout, or has ended if none is under way.
local function clear(step)
  if not service or not step.lastAt then return end
  if service.isAbsent then
    step.byAsking = nil
  elseif service.count < service.max then
    step.clearedAt = service.count == 0 and checkedAt or now + math.ceil(step.watchMs * 3 / 4)
  end
end

for _, one in ipairs(call.lanes) do
  local lane = read(one.lane)
  if lane then
    local late, moved = {}, nil
    for _, proof in ipairs(one.proofs) do late[#late + 1] = merge(lane, proof) end
    for _, judged in ipairs(late) do moved = moved or haltForLate(one.lane, lane, judged) end
    if service and service.isAbsent then lane.config.byAsking = nil end
    local isNamed = {}
    for _, number in ipairs(one.steps) do isNamed[number] = true end
    -- The step before, then the one that is collecting, unless the lane has moved by then.
    for _, step in ipairs(moved and {} or stepsOf(lane)) do
      if isNamed[step.step] then
        clear(step)
        moved = judgeAndReport(one.lane, lane, step, checkedAt)
        if moved then break end
      end
    end
    if moved then moves[#moves + 1] = moved end
    put(one.lane, lane)
  end
end
local reply = cjson.encode(moves)
return #moves > 0 and mark(reply) or reply
`,
);

/**
 * due: ARGV[2]: {}. Returns: JSON { at, watches: [LaneWatch], ready: [{ drain, resumeMinutes, wantsFull? }] }
 * of the lanes that want something by now, the earliest 200.
 * Effects: a step that was handed out for a listing check comes again at the end of its watch, and then every
 * 15 s. A step that needs it is handed out once in a watch to ask the service about. A minute of entry is handed out once; other minutes for the same step follow a minute later.
 * Run twice: marked where something is handed out.
 */
export const dueScript = defineScript<{
  at: number;
  watches: readonly LaneWatch[];
  ready: readonly LaneReady[];
}>(
  "lanes:due",
  `${lanePreludeLua}
local watches, ready, minutesOf, needsFull = {}, {}, {}, {}

local function takeWatch(id, lane, step)
  local at = wantsCheckAt(lane, step)
  if not at or at > now then return end
  local ends = endOf(step)
  step.lookAt = now < ends and ends or now + ${checkEveryMs}
  -- Once in a watch, and once all of it is sent.
  local asks = step.byAsking and not step.isAsked and not waitsForGrants(lane, step) and isClosed(lane, step)
  if asks then step.isAsked = true end
  watches[#watches + 1] = {
    asks = asks or nil,
    lane = id, step = step.step, drain = lane.drain, origin = lane.origin, state = lane.state, firstSentAt = step.firstAt, ['until'] = ends,
  }
end

for _, id in ipairs(redis.call('ZRANGEBYSCORE', dueKey, '-inf', now, 'LIMIT', 0, ${maxDue})) do
  local lane = read(id)
  if lane then
    for _, step in ipairs(stepsOf(lane)) do takeWatch(id, lane, step) end
    local at = readyAt(lane)
    if at and at <= now then
      if not minutesOf[lane.drain] then
        minutesOf[lane.drain] = {}
        ready[#ready + 1] = { drain = lane.drain, resumeMinutes = minutesOf[lane.drain] }
        needsFull[lane.drain] = ready[#ready]
      end
      if lane.isAsked and #lane.places == 0 then
        needsFull[lane.drain].wantsFull = true
        lane.step.calledAt = now
      end
      if lane.isAsked then lane.isAsked = nil end
      local resumeMinutes = minutesOf[lane.drain]
      for _, minute in ipairs(takeResumeMinutes(lane)) do resumeMinutes[#resumeMinutes + 1] = minute end
    end
    put(id, lane)
    indexDue(id, lane)
  else
    redis.call('ZREM', dueKey, id)
  end
end
local reply = cjson.encode({ at = now, watches = watches, ready = ready })
return (#watches > 0 or #ready > 0) and mark(reply) or reply
`,
);

/**
 * probeNow: a person asks for the probe of a halted lane.
 *
 * ARGV[2]: { lane }. Returns: JSON LaneProbe. Effects: its next probe is due, also for a message that was a
 * canary lately, and its minutes are handed out at once. If it has none, its drain is to make a full pass.
 * None unless it is halted, or while a probe is under way. Run twice: it is due already.
 */
export const probeNowScript = defineScript<LaneProbe>(
  "lanes:probeNow",
  `${lanePreludeLua}
local lane = read(call.lane)
if not lane then return cjson.encode({ kind = 'unknown' }) end
if lane.state ~= 'halted' then return cjson.encode({ kind = 'not-halted', state = lane.state }) end
if takenOf(lane.step) > 0 then
  local sentAt = lane.step.lastAt or lane.step.grantAt
  return cjson.encode({ kind = 'under-way', forMs = now - sentAt, judgedInMs = math.max(0, sentAt + lane.step.watchMs - now) })
end
lane.nextAt = math.min(lane.nextAt, now - ${repeatAfterMs})
lane.step.calledAt = nil
if #lane.places == 0 then lane.isAsked = true end
put(call.lane, lane)
return cjson.encode({ kind = 'due' })
`,
);

/**
 * reset: a person lets a lane start over.
 *
 * ARGV[2]: { lane }. Returns: JSON LaneReset. Effects: it is a canary, under a new step, without what it knew of failures. Its minutes are handed out at
 * once, as for probeNow. Totals stay. Run twice: marked.
 */
export const resetScript = defineScript<LaneReset>(
  "lanes:reset",
  `${lanePreludeLua}
local lane = read(call.lane)
if not lane then return cjson.encode({ kind = 'unknown' }) end
local step = lane.step
local was = { kind = 'reset', from = lane.state, why = lane.why, sent = knownOf(step), comeBacks = count(step.back) }
enter(lane, 'canary', 'reset by a person', sizeIn('canary', lane.config))
for _, name in ipairs({ 'cause', 'nextAt', 'probeEvery', 'isShaky', 'isMixed', 'judged', 'slowMs', 'missing', 'missingAt' }) do lane[name] = nil end
if #lane.places == 0 then lane.isAsked = true end
put(call.lane, lane)
return mark(cjson.encode(was))
`,
);

/**
 * views: the lanes that are named, or lanes in an order.
 *
 * ARGV[2]: { lanes: [lane] } or { max, by: state | records } or { max, by: one, state, skip }. By state:
 * halted, canary, ramping and then open, of each the last used first. By records: those that were asked for
 * most messages first. One: of one state behind the first `skip`.
 * Returns: JSON { lanes } of the known lanes, each as its LaneView; in an order also { counts, totals }.
 * Effects: in an order, lanes that have been unused for seven days leave the indexes. Run twice: the same.
 */
export const viewsScript = defineScript<LanesCounted>(
  "lanes:views",
  `${lanePreludeLua}
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
  local counts, before = {}, '(' .. string.format('%.0f', now - ${forgetAfterMs})
  for state, key in pairs(stateKeys) do
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', before)) do redis.call('ZREM', recordsKey, id) end
    redis.call('ZREMRANGEBYSCORE', key, '-inf', before)
    counts[state] = redis.call('ZCARD', key)
  end
  return counts
end

if call.lanes then
  for _, id in ipairs(call.lanes) do add(id) end
  return cjson.encode({ lanes = lanes })
end
local counts, totals = countLanes(), {}
for _, state in ipairs(call.by == 'state' and { ${laneStates.map((state) => `'${state}'`).join(", ")} } or {}) do
  local left = call.max - #lanes
  for _, id in ipairs(left > 0 and redis.call('ZREVRANGE', stateKeys[state], 0, left - 1) or {}) do add(id) end
end
if call.by == 'one' then
  for _, id in ipairs(redis.call('ZREVRANGE', stateKeys[call.state], call.skip, call.skip + call.max - 1)) do add(id) end
end
while call.by == 'records' and #lanes < call.max do
  local ids = redis.call('ZREVRANGE', recordsKey, #lanes, call.max - 1)
  if #ids == 0 then break end
  for _, id in ipairs(ids) do
    if not add(id) then redis.call('ZREM', recordsKey, id) end
  end
end
for _, name in ipairs({ 'canaries', 'comeBacks', 'halts' }) do
  totals[name] = tonumber(redis.call('HGET', totalsKey, name) or 0)
end

local unknown, lastUsedAt = 0, cjson.null
for _, id in ipairs(redis.call('ZREVRANGE', unknownKey, 0, ${maxDue} - 1)) do
  local lane = read(id)
  if lane then unknown = unknown + undeliveredOf(lane) else redis.call('ZREM', unknownKey, id) end
end
for _, key in pairs(stateKeys) do
  local last = tonumber(redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2])
  if last and (lastUsedAt == cjson.null or last > lastUsedAt) then lastUsedAt = last end
end
local service = redis.call('HGET', totalsKey, 'service')
return cjson.encode({
  lanes = lanes, counts = counts, totals = totals, at = now, unknown = unknown, lastUsedAt = lastUsedAt,
  service = service and cjson.decode(service) or cjson.null,
})
`,
);
