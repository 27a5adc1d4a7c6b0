import { planDeadAfterMs } from "../../contracts/plans.ts";
import { luaScript } from "../../redis/script-runner.ts";
import { serverTimeLua } from "../server-time.lua.ts";

export const planLifeMs = 24 * 3_600_000;
/** While an apply gives signs, its plan lives at least so much longer. */
const leftWhileAppliedMs = 3_600_000;

/**
 * A plan is a hash:
 * `about`, `createdAt`, `expiresAt`; `state`, `why`; `owner`: the token of the one that works on it, `replica`,
 * `signAt`; `stop`: who has stopped it; `asked`: somebody asked to keep it; `bytes`: of its lines and summary; `making`, `made`: JSON;
 * `order`, `startedAt`, `endedAt`, `progress`: of the last apply; `before`: the fields that its start has changed (JSON).
 *
 * All scripts: KEYS: 1 the index. ARGV: 1 the prefix of plans, 2 of summaries, 3 of lines, 4 the id of a plan, 5 the
 * token of who works on it, and then what each names. Effects of all: plans that have expired leave the index.
 */
const preludeLua = `${serverTimeLua}
local id, token = ARGV[4], ARGV[5]
local function row(id) return ARGV[1] .. id end
local function summary(id) return ARGV[2] .. id end
local function lines(id) return ARGV[3] .. id end
-- A row may be none of this version: one that has no such field stops no other.
local function get(id, field)
  local text = redis.pcall('HGET', row(id), field)
  return type(text) == 'string' and text
end
local function number(id, field) return tonumber(get(id, field) or '0') or 0 end
local function drainsOf(id)
  local ok, about = pcall(cjson.decode, get(id, 'about'))
  return ok and type(about) == 'table' and type(about.drains) == 'table' and about.drains or {}
end
local function forget(id)
  redis.call('UNLINK', row(id), summary(id), lines(id))
  redis.call('ZREM', KEYS[1], id)
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do forget(id) end
local function isWork(state) return state == 'making' or state == 'applying' end
local function isLive(id) return isWork(get(id, 'state')) and now - number(id, 'signAt') <= ${planDeadAfterMs} end
local function expireAt(id, at)
  redis.call('HSET', row(id), 'expiresAt', string.format('%.0f', at))
  redis.call('ZADD', KEYS[1], at, id)
  for _, one in ipairs({ row(id), summary(id), lines(id), KEYS[1] }) do
    if redis.call('PTTL', one) < at - now then redis.call('PEXPIRE', one, string.format('%.0f', at - now)) end
  end
end
local function dropLines(id)
  redis.call('UNLINK', lines(id))
  redis.call('HSET', row(id), 'bytes', 0)
end
-- The oldest plan that was never whole makes room, then one that nobody asked for, then one never applied.
local function giveWay(id, isAsked)
  local all = redis.call('ZRANGE', KEYS[1], 0, -1)
  for _, field in ipairs({ 'made', 'asked', isAsked and 'order' or nil }) do
    for _, other in ipairs(all) do
      if other ~= id and not get(other, field) and not isLive(other) then
        forget(other)
        return true
      end
    end
  end
  return false
end
local function isMine() return get(id, 'owner') == token end
local function sign() redis.call('HSET', row(id), 'signAt', string.format('%.0f', now)) end
`;

/** What a start changes, but for the owner. */
const startedFields =
  "{ 'state', 'replica', 'signAt', 'order', 'startedAt', 'endedAt', 'progress', 'why', 'stop', 'asked' }";

const planScript = (name: string) => luaScript(`plans:${name}`, preludeLua);

/** ARGV: 6 about (JSON), 7 replica, 8 most plans, 9 `1` if it was asked for. Returns: begun, full. */
export const beginScript = planScript("begin")`
if isMine() then return 'begun' end
local most, isAsked = tonumber(ARGV[8]), ARGV[9] == '1'
while redis.call('ZCARD', KEYS[1]) >= most and giveWay(id, isAsked) do end
if redis.call('ZCARD', KEYS[1]) >= most then return 'full' end
redis.call('HSET', row(id), 'about', ARGV[6], 'createdAt', string.format('%.0f', now), 'state', 'making',
  'owner', token, 'replica', ARGV[7], 'bytes', 0)
if isAsked then redis.call('HSET', row(id), 'asked', '1') end
sign()
expireAt(id, now + ${planLifeMs})
return 'begun'
`;

/**
 * ARGV: 6 part, 7 its text, 8 most bytes of all plans. Returns: kept, full, lost. A part that is there already is not
 * added again.
 */
export const appendScript = planScript("append")`
local part = tonumber(ARGV[6])
if not isMine() or get(id, 'state') ~= 'making' then return 'lost' end
local parts = redis.call('LLEN', lines(id))
if parts > part then return 'kept' end
if parts < part then return 'lost' end
local function isTooMuch()
  local bytes = #ARGV[7]
  for _, other in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if get(other, 'state') == 'making' and not isLive(other) and other ~= id then dropLines(other) end
    bytes = bytes + number(other, 'bytes')
  end
  return bytes > tonumber(ARGV[8])
end
if #ARGV[7] + number(id, 'bytes') > tonumber(ARGV[8]) then return 'full' end
while isTooMuch() do
  if not giveWay(id, get(id, 'asked')) then return 'full' end
end
redis.call('RPUSH', lines(id), ARGV[7])
redis.call('HINCRBY', row(id), 'bytes', #ARGV[7])
expireAt(id, number(id, 'expiresAt'))
return 'kept'
`;

/** ARGV: 6 made (JSON), 7 the summary, 8 parts. Returns: kept, lost. Twice: the same. */
export const completeScript = planScript("complete")`
if not isMine() then return 'lost' end
if get(id, 'state') ~= 'making' then return get(id, 'made') and 'kept' or 'lost' end
if redis.call('LLEN', lines(id)) ~= tonumber(ARGV[8]) then return 'lost' end
redis.call('SET', summary(id), ARGV[7])
redis.call('HINCRBY', row(id), 'bytes', #ARGV[7])
redis.call('HSET', row(id), 'state', 'ready', 'made', ARGV[6])
redis.call('HDEL', row(id), 'stop', 'making')
expireAt(id, number(id, 'expiresAt'))
return 'kept'
`;

/**
 * ARGV: 6 order (JSON), 7 replica, 8 one that is gone (empty: none). Returns: a list of started, unknown or not-whole; or
 * busy, the drain, the order, the replica and the plan of the living apply. Effects: the plan is applied by this token.
 */
export const startScript = planScript("start")`
if redis.call('EXISTS', row(id)) == 0 then return { 'unknown' } end
if not get(id, 'made') then return { 'not-whole' } end
if isMine() and get(id, 'state') == 'applying' then return { 'started' } end
local wanted = {}
for _, drain in ipairs(drainsOf(id)) do wanted[drain] = true end
for _, other in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  if get(other, 'state') == 'applying' and isLive(other) and get(other, 'replica') ~= ARGV[8] then
    for _, drain in ipairs(drainsOf(other)) do
      if wanted[drain] then return { 'busy', drain, get(other, 'order'), get(other, 'replica'), other } end
    end
  end
end
local before = {}
for _, field in ipairs(${startedFields}) do before[field] = get(id, field) or nil end
redis.call('HDEL', row(id), 'why', 'stop', 'endedAt', 'progress')
redis.call('HSET', row(id), 'before', cjson.encode(before), 'state', 'applying', 'owner', token, 'order', ARGV[6], 'replica', ARGV[7],
  'startedAt', string.format('%.0f', now), 'asked', '1')
sign()
return { 'started' }
`;

/** ARGV: 6 field of the progress, 7 progress (JSON). Returns: a list of lost; or mine and who has stopped it, or empty. */
export const signScript = planScript("sign")`
if not isMine() or not isWork(get(id, 'state')) then return { 'lost' } end
redis.call('HSET', row(id), ARGV[6], ARGV[7])
sign()
if number(id, 'expiresAt') < now + ${leftWhileAppliedMs} then expireAt(id, now + ${leftWhileAppliedMs}) end
return { 'mine', get(id, 'stop') or '' }
`;

/** ARGV: 6 state, 7 why (empty: null), 8 field, 9 progress (JSON). Returns: kept, lost. */
export const endScript = planScript("end")`
if not isMine() then return 'lost' end
if not isWork(get(id, 'state')) then return get(id, 'state') == ARGV[6] and 'kept' or 'lost' end
redis.call('HSET', row(id), 'state', ARGV[6], ARGV[8], ARGV[9], 'endedAt', string.format('%.0f', now))
if ARGV[7] ~= '' then redis.call('HSET', row(id), 'why', ARGV[7]) end
if not get(id, 'made') then dropLines(id) end
return 'kept'
`;

/** Returns: kept, lost. Effects: the plan is as before its start. Twice: the same. */
export const giveBackScript = planScript("giveBack")`
if not isMine() then return 'lost' end
local before = cjson.decode(get(id, 'before'))
for _, field in ipairs(${startedFields}) do
  if before[field] then redis.call('HSET', row(id), field, before[field]) else redis.call('HDEL', row(id), field) end
end
return 'kept'
`;

/** ARGV: 5 who. Returns: asked, idle, unknown. Effects: the first who stops it is remembered. */
export const stopScript = planScript("stop")`
if redis.call('EXISTS', row(id)) == 0 then return 'unknown' end
if not isLive(id) then return 'idle' end
redis.call('HSETNX', row(id), 'stop', ARGV[5])
return 'asked'
`;

/** Returns: removed, busy, unknown. */
export const removeScript = planScript("remove")`
if redis.call('EXISTS', row(id)) == 0 then return 'unknown' end
if isLive(id) then return 'busy' end
forget(id)
return 'removed'
`;

/** ARGV: 4 an id; none: all plans. Returns: now, of each its id and its fields, and last the summary of the one. */
export const readScript = planScript("read")`
local ids = ARGV[4] and { ARGV[4] } or redis.call('ZREVRANGE', KEYS[1], 0, -1)
local answer = { string.format('%.0f', now) }
for _, id in ipairs(ids) do
  local fields = redis.pcall('HGETALL', row(id))
  if fields.err then fields = { 'state', '' } end
  if #fields > 0 then answer[#answer + 1] = { id, fields } end
end
if ARGV[4] and #answer > 1 then answer[#answer + 1] = redis.call('GET', summary(ARGV[4])) end
return answer
`;
