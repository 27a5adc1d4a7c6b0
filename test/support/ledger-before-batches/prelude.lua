
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local metaKey, openKey, pendingKey, failedKey, pausesKey, parkedKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local prefix, seed = ARGV[1], ARGV[2]
local limits, call = cjson.decode(ARGV[3]), cjson.decode(ARGV[4])
local wrote, coolUntil = false, 0
-- The ledger's time is the server's. If the server's time goes back (it was set right, or another server took
-- over), the ledger counts on from where it was: time since a POST must not be lost, or the POST would be
-- made again outside of its window. The summary returns to the server's time when no entry depends on its
-- age.
local stored = redis.call('HMGET', metaKey, 'lastNow', 'ahead')
local lastNow, ahead = tonumber(stored[1] or 0), tonumber(stored[2] or 0)
now = now + ahead
if now < lastNow then
  ahead = ahead + lastNow - now
  now = lastNow
end
local decidedAgain = { ['rule'] = true, ['otherwise'] = true, ['destination-not-allowed'] = true, ['over-limit'] = true }

local function decode(text)
  local e = cjson.decode(text)
  if e.v ~= 1 then return { v = e.v, s = 'other-version' } end
  return e
end

local function read(id)
  local text = redis.call('GET', prefix .. id)
  return text and decode(text) or nil
end

-- A cool entry in a later series lives on: an earlier series may have been accepted. If it were forgotten,
-- the next POST would double the message undeclared.
local function lifeOf(e)
  if e.s == 'gone' then return limits.tombstone end
  if e.s == 'cool' and not e.rel and e.x == 1 then return math.max(e.u - now, limits.coolLife) end
  return limits.retention
end

local function indexParked(id)
  redis.call('ZREMRANGEBYSCORE', parkedKey, '-inf', now)
  redis.call('ZADD', parkedKey, now + limits.retention, id)
end

local function put(id, e)
  e.v = 1
  local life = math.max(1, math.floor(lifeOf(e)))
  redis.call('SET', prefix .. id, cjson.encode(e), 'PX', life)
  if e.s == 'cool' then coolUntil = math.max(coolUntil, now + life) end
  if e.s == 'open' then redis.call('ZADD', openKey, e.l, id) else redis.call('ZREM', openKey, id) end
  local settling = e.s == 'published' or e.s == 'archived'
  if settling and e.q then redis.call('ZADD', pendingKey, e.q, id) else redis.call('ZREM', pendingKey, id) end
  if settling and e.df then redis.call('SADD', failedKey, id) else redis.call('SREM', failedKey, id) end
  if e.s == 'parked' then indexParked(id) else redis.call('ZREM', parkedKey, id) end
  wrote = true
end

-- Counts how the token's POST ended, once; a drop makes none.
local function countOutcome(e, outcome)
  if e.e then return end
  e.e = 1
  if e.a == 'drop' then return end
  if outcome == 'not-sent' then e.p = e.p - 1 elseif outcome ~= 'unknown' then e.r = e.r + 1 end
  if e.r > 0 and e.p <= e.r then redis.call('HSET', metaKey, 'endedAt', now) end
end

local function forget(id)
  redis.call('ZREM', openKey, id)
  redis.call('ZREM', pendingKey, id)
  redis.call('SREM', failedKey, id)
end

-- Time of the oldest member whose entry lives. Drops expired members on the way, at most 1000 a call.
local function oldest(index)
  for dropped = 0, 1000 do
    local head = redis.call('ZRANGE', index, 0, 0, 'WITHSCORES')
    if #head == 0 then return nil end
    if dropped == 1000 or redis.call('EXISTS', prefix .. head[1]) == 1 then return tonumber(head[2]) end
    forget(head[1])
  end
end

local function settleGateClosed()
  if redis.call('SCARD', failedKey) > limits.gateFailed then return true end
  local since = oldest(pendingKey)
  return since ~= nil and now - since > limits.gateAge
end

-- Facts are written even when maxmemory is reached. Redis refuses only a script's first write, and lets a
-- write pass that needs no memory.
local function evenWhenFull() redis.call('ZREM', openKey, '') end

local function stamped(answer)
  if redis.call('HEXISTS', metaKey, 'epoch') == 0 then redis.call('HSET', metaKey, 'epoch', seed) end
  if wrote then
    redis.call('HINCRBY', metaKey, 'sequence', 1)
    redis.call('HSET', metaKey, 'lastNow', now, 'ahead', ahead, 'wroteAt', now)
    if coolUntil > tonumber(redis.call('HGET', metaKey, 'coolUntil') or 0) then redis.call('HSET', metaKey, 'coolUntil', coolUntil) end
  end
  local meta = redis.call('HMGET', metaKey, 'epoch', 'sequence', 'lostAt', 'lostSince', 'endedAt')
  answer.epoch = meta[1]
  answer.sequence = tonumber(meta[2] or '0')
  if meta[3] then answer.lost = { at = tonumber(meta[3]), since = tonumber(meta[4]) } end
  if meta[5] then answer.seriesEndedAt = tonumber(meta[5]) end
  answer.at = now
  return cjson.encode(answer)
end

local function recordAcceptance()
  redis.call('HSET', metaKey, 'lastAcceptedAt', now, 'refusedAloneInARow', 0)
end

local function withSourceFacts(answer)
  answer.lastAcceptedAt = tonumber(redis.call('HGET', metaKey, 'lastAcceptedAt') or nil) or cjson.null
  answer.refusedAloneInARow = tonumber(redis.call('HGET', metaKey, 'refusedAloneInARow') or '0')
  return answer
end

