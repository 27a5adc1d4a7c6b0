import { forgetAfterMs, markLifeMs } from "./lane-numbers.ts";
import { laneMachineLua } from "./lane-machine.lua.ts";

/**
 * What every script of the lane book starts with.
 *
 * KEYS, all of one source: 1-4 the lanes that are canary, ramping, open, halted (zset: lane by usedAt), 5 due
 *   (zset: lane by when it wants something), 6 at (when a lane was last written), 7 mark of this call (its
 *   answer, where it changed more than can be changed twice), 8 records (zset: lane by how many messages it
 *   was asked for), 9 totals (hash: canaries, comeBacks, halts of all lanes). Keys of lanes are ARGV[1] ..
 *   lane and share the hash tag of KEYS; they are not listed in KEYS because half of the scripts learn from
 *   an index which lanes they touch.
 * ARGV: 1 prefix of lane keys, 2 the call (JSON), 3 how long a grant may be published, ms.
 *
 * A lane of another layout is replaced, not read. put() is the only way to change a lane: it lives until it
 *   has been unused for seven days, and the indexes and the totals of all lanes agree with it.
 * Run twice: the mark, which lives for a minute, answers what the first run answered.
 */
export const lanePreludeLua = `
local stateKeys = { canary = KEYS[1], ramping = KEYS[2], open = KEYS[3], halted = KEYS[4] }
local dueKey, atKey, markKey, recordsKey, totalsKey = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local prefix, call, grantLife = ARGV[1], cjson.decode(ARGV[2]), tonumber(ARGV[3])
local answered = redis.call('GET', markKey)
if answered then return answered end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- The server's clock was set back: what waits for a time that is now far ahead is looked at anew.
if tonumber(redis.call('GET', atKey) or 0) > now + 1000 then
  for _, id in ipairs(redis.call('ZRANGE', dueKey, 0, -1)) do redis.call('ZADD', dueKey, 0, id) end
  redis.call('SET', atKey, now, 'PX', ${forgetAfterMs})
end
${laneMachineLua}
-- Lanes as they were read. What is held or open is asked for by every page: nothing is written where nothing
-- has changed.
local asRead = {}
local totalsRead = {}

local function totalsOf(lane) return { canaries = lane.canaries, comeBacks = lane.comeBacks, halts = lane.halts } end

local function read(id)
  local text = redis.call('GET', prefix .. id)
  local lane = text and cjson.decode(text)
  if not lane or lane.v ~= 1 then return nil end
  local wasSetBack = lane.at - now > 1000
  lane = atNow(lane)
  if lane and not wasSetBack then asRead[id] = cjson.encode(lane) end
  if lane then totalsRead[id] = totalsOf(lane) end
  return lane
end

-- What has grown since the lane was read grows for all.
local function addTotals(id, lane)
  local before, totals = totalsRead[id] or {}, totalsOf(lane)
  for name, total in pairs(totals) do
    local more = total - (before[name] or 0)
    if more > 0 then redis.call('HINCRBY', totalsKey, name, more) end
  end
  totalsRead[id] = totals
  redis.call('PEXPIRE', totalsKey, ${forgetAfterMs})
end

local function wantsAt(lane)
  local earliest = readyAt(lane)
  for _, step in ipairs(stepsOf(lane)) do
    local at = wantsCheckAt(lane, step)
    if at and (not earliest or at < earliest) then earliest = at end
  end
  return earliest
end

local function indexDue(id, lane)
  local at = wantsAt(lane)
  if at then
    redis.call('ZADD', dueKey, at, id)
    redis.call('PEXPIRE', dueKey, ${forgetAfterMs})
  else
    redis.call('ZREM', dueKey, id)
  end
end

local function put(id, lane)
  lane.v = 1
  if cjson.encode(lane) == asRead[id] then return end
  lane.at = now
  redis.call('SET', prefix .. id, cjson.encode(lane), 'PX', math.max(1, lane.usedAt + ${forgetAfterMs} - now))
  for state, key in pairs(stateKeys) do
    if state == lane.state then
      redis.call('ZADD', key, lane.usedAt, id)
      redis.call('PEXPIRE', key, ${forgetAfterMs})
    else
      redis.call('ZREM', key, id)
    end
  end
  indexDue(id, lane)
  addTotals(id, lane)
  redis.call('SET', atKey, now, 'PX', ${forgetAfterMs})
end

local function stepOf(lane, number)
  for _, step in ipairs(stepsOf(lane)) do
    if step.step == number then return step end
  end
end

-- Whose grants they are nobody knows: forgotten ones come first, so that nobody else's are granted a second
-- time.
local function resolve(step, n)
  local late = math.min(n, step.forgotten)
  step.forgotten = step.forgotten - late
  step.underWay = math.max(0, step.underWay - (n - late))
end

-- What came back, or was delivered, has been published, whether or not anybody has said so.
local function recordProof(step)
  step.firstAt = step.firstAt or now
  step.lastAt = step.lastAt or now
  step.lookAt = step.lookAt or step.lastAt + math.floor(step.watchMs / 2)
end

local function merge(lane, comeBack)
  local step = stepOf(lane, comeBack.step)
  if not step or step.back[comeBack.parent] then return end
  if not step.delivered[comeBack.parent] then lane.comeBacks = lane.comeBacks + 1 end
  if string.sub(comeBack.said, 1, 1) == 'a' then
    step.delivered[comeBack.parent] = comeBack.said
  else
    step.delivered[comeBack.parent] = nil
    step.back[comeBack.parent] = comeBack.said
  end
  recordProof(step)
end

local function mark(answer)
  redis.call('SET', markKey, answer, 'PX', ${markLifeMs})
  return answer
end

-- Answers a change, which is told once.
local function changed(moved)
  if moved then return mark(cjson.encode(moved)) end
  return cjson.encode({ kind = 'none' })
end
`;
