/** What became of canaries, and when a lane wants to know. */
import type { LaneChange, LaneReady, LaneWatch } from "../../contracts/lanes.ts";
import { luaScript } from "../../redis/script-runner.ts";
import { checkEveryMs, maxDue } from "./lane-constants.ts";
import { lanePreludeLua } from "./lane-prelude.lua.ts";

/**
 * Records come-backs and deliveries, and judges their steps.
 *
 * ARGV[2]: { lanes: [{ lane, steps: [step], proofs: [Proof] }], checkedAt?, service? }. checkedAt: when a listing
 * began that showed all come-backs. service: what the service answered before that listing, if it was asked.
 * Returns: JSON list of the LaneChanges. Effects: new proofs are recorded with their step. Each named step is judged if
 * all of it is known, or if too many of it are back, or if its watch was over at checkedAt. A step that survived is
 * judged anew if too many of it fail after all. Run twice: a proof counts once; marked if a lane moved.
 */
export const proveScript = luaScript<readonly LaneChange[]>("lanes:prove")`${lanePreludeLua}
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
`;

/**
 * ARGV[2]: {}. Returns: of the lanes that want something by now, the earliest 200. Effects: a step that was handed out for
 * a listing check comes again at the end of its watch, and then every 15 s. It is handed out once in a watch to ask the
 * service about. A minute of entry is handed out once; more for the same step follow a minute later. Run twice: marked.
 */
export const dueScript = luaScript<{
  at: number;
  watches: readonly LaneWatch[];
  ready: readonly LaneReady[];
}>("lanes:due")`${lanePreludeLua}
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
`;
