import { forgetAfterMs, markLifeMs, maxDelivered, maxSlowMs } from "./lane-constants.ts";
import { laneMachineLua } from "./lane-machine.lua.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/**
 * What every script of the lane book starts with.
 *
 * KEYS, all of one source: 1-4 the lanes that are canary, ramping, open, halted (zset: lane by usedAt), 5 due
 * (zset: lane by when it wants something), 6 at (when a lane was last written), 7 mark of this call (its
 * answer, for a minute, if a second run would change something again), 8 records (zset: lane by how many messages it
 * was asked for), 9 totals (hash: canaries, comeBacks, halts of all lanes; service: what it answered last), 10 lanes
 * with canaries that are not known to be delivered after their watch (zset by usedAt), 11 delivered (zset: short
 * hash of the parent by when its delivery was reported; the last ones alone). Keys of lanes are ARGV[1] .. lane. They
 * are not in KEYS: half of the scripts find them in an index.
 * ARGV: 1 prefix of lane keys, 2 the call (JSON), 3 how long a grant may be published, ms.
 *
 * A lane of another layout is replaced, not read. Only put() changes a lane.
 */
export const lanePreludeLua = `
local stateKeys = { canary = KEYS[1], ramping = KEYS[2], open = KEYS[3], halted = KEYS[4] }
local dueKey, atKey, markKey, recordsKey, totalsKey = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local unknownKey, deliveredKey = KEYS[10], KEYS[11]
local prefix, call, grantLife = ARGV[1], cjson.decode(ARGV[2]), tonumber(ARGV[3])
local answered = redis.call('GET', markKey)
if answered then return answered end
${serverTimeLua}
-- The server's clock was set back: every time in the index is now too far ahead, so all lanes are due.
if tonumber(redis.call('GET', atKey) or 0) > now + 1000 then
  for _, id in ipairs(redis.call('ZRANGE', dueKey, 0, -1)) do redis.call('ZADD', dueKey, 0, id) end
  redis.call('SET', atKey, now, 'PX', ${forgetAfterMs})
end

-- A counter of the lane, and of all lanes.
local function addTotal(lane, name, more)
  lane[name] = lane[name] + more
  if more > 0 then redis.call('HINCRBY', totalsKey, name, more) end
end
${laneMachineLua}
-- Lanes as they were read. Every page asks for its lanes, so put() writes only what has changed.
local asRead = {}

local function read(id)
  local text = redis.call('GET', prefix .. id)
  local lane = text and cjson.decode(text)
  if not lane or lane.v ~= 1 then return nil end
  local wasSetBack = lane.at - now > 1000
  lane = atNow(lane)
  if lane and not wasSetBack then asRead[id] = cjson.encode(lane) end
  return lane
end

local function index(key, id, score)
  if not score then return redis.call('ZREM', key, id) end
  redis.call('ZADD', key, score, id)
  redis.call('PEXPIRE', key, ${forgetAfterMs})
end

local function indexDue(id, lane)
  local at = readyAt(lane)
  for _, step in ipairs(stepsOf(lane)) do
    local checkAt = wantsCheckAt(lane, step)
    if checkAt and (not at or checkAt < at) then at = checkAt end
  end
  index(dueKey, id, at)
end

local function put(id, lane)
  lane.v = 1
  if cjson.encode(lane) == asRead[id] then return end
  lane.at = now
  redis.call('SET', prefix .. id, cjson.encode(lane), 'PX', math.max(1, lane.usedAt + ${forgetAfterMs} - now))
  for state, key in pairs(stateKeys) do index(key, id, state == lane.state and lane.usedAt) end
  indexDue(id, lane)
  index(unknownKey, id, undeliveredOf(lane) > 0 and lane.usedAt)
  redis.call('PEXPIRE', totalsKey, ${forgetAfterMs})
  redis.call('SET', atKey, now, 'PX', ${forgetAfterMs})
end

local function stepOf(lane, number)
  for _, step in ipairs(stepsOf(lane)) do
    if step.step == number then return step end
  end
end

-- A late report may be of grants that were forgotten as too old, so it is taken from those first. Taken from
-- underWay, it would free the grants of another worker, and they would be granted twice.
local function resolve(step, n)
  local late = math.min(n, step.forgotten)
  step.forgotten = step.forgotten - late
  step.underWay = math.max(0, step.underWay - (n - late))
end

-- A come-back or a delivery proves that the message was published, even if no \`sent\` has arrived.
local function recordProof(step)
  step.firstAt = step.firstAt or now
  step.lastAt = step.lastAt or now
  step.lookAt = step.lookAt or step.lastAt + math.floor(step.watchMs / 2)
end

-- Of a step that has survived: returns it if this is news of a failure.
local function mergeLate(lane, proof)
  local parent, said = proof.parent, proof.said
  for _, judged in ipairs(lane.judged or {}) do
    if judged.step == proof.step and not judged.back[parent] then
      local heard = judged.heard or {}
      if judged.missing and not heard[parent] then
        heard[parent] = 1
        judged.missing = judged.missing > 1 and judged.missing - 1 or nil
        judged.heard = judged.missing and heard or nil
      end
      if said == 1 then return end
      if not judged.again[parent] then addTotal(lane, 'comeBacks', 1) end
      local isAgain = string.sub(said, 1, 1) == 'a'
      judged[isAgain and 'again' or 'back'][parent] = said
      return not isAgain and judged or nil
    end
  end
end

-- A proof is a delivery (said is 1) or a come-back. took: from publish to failure, ms. Returns the step that had
-- survived and has failed again, or nil.
local function merge(lane, proof)
  local step, parent, said = stepOf(lane, proof.step), proof.parent, proof.said
  if said == 1 then
    redis.call('ZADD', deliveredKey, now, parent)
    redis.call('ZREMRANGEBYRANK', deliveredKey, 0, -${maxDelivered + 1})
    redis.call('PEXPIRE', deliveredKey, ${forgetAfterMs})
  end
  if proof.took and proof.took > math.max(lane.config.watchMs, lane.slowMs or 0) then
    lane.slowMs = math.min(proof.took, ${maxSlowMs})
    for _, one in ipairs(stepsOf(lane)) do one.watchMs = math.max(one.watchMs, lane.slowMs) end
  end
  if not step then return mergeLate(lane, proof) end
  if step.back[parent] then return end
  -- It came back once, whatever is reported of it besides.
  local before = step.delivered[parent]
  local wasBack = before and before ~= 1
  if said ~= 1 and not wasBack then addTotal(lane, 'comeBacks', 1) end
  if said == 1 then
    step.delivered[parent] = before or 1
  elseif string.sub(said, 1, 1) == 'a' then
    step.delivered[parent] = said
  else
    step.delivered[parent] = nil
    step.back[parent] = said
  end
  recordProof(step)
end

local function mark(answer)
  redis.call('SET', markKey, answer, 'PX', ${markLifeMs})
  return answer
end
`;
