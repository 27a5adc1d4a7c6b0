import { ledgerScript } from "./prelude.lua.ts";

/** now: ARGV[3] {}. Returns: the stamp. Effects: sets the epoch if there is none. */
export const nowScript = ledgerScript("now")`return stamped({})`;

/**
 * look: reads entries, and renews those that are listed.
 *
 * ARGV: 3 { areListed }, 4 dlqIds. Returns: array of the stamp, then for each entry that there is, in order, its place
 * among the ids from 0 on, and its JSON. Effects: none, unless the records are listed just now. Then published and archived
 * entries record that. All but cool (unless released) live on: gone for the life of a tombstone, others for the retention.
 * Not counted in the sequence: losing it loses nothing.
 */
export const lookScript = ledgerScript("look")`
local function recordListed(id, e)
  if batchOf[id] then
    listBatch(batchOf[id])
  elseif e.s == 'published' or e.s == 'archived' then
    e.w = now
    put(id, e)
  elseif e.s == 'open' or e.s == 'parked' or e.rel then
    redis.call('PEXPIRE', prefix .. id, lifeOf(e))
    if e.s == 'parked' then indexParked(id, limits.retention) end
  elseif e.s == 'gone' then
    redis.call('PEXPIRE', prefix .. id, lifeOf(e))
  end
end

local ids, answer = cjson.decode(ARGV[4]), { false }
load(ids)
for i, id in ipairs(ids) do
  local e = entries[id]
  if e then
    if call.areListed then recordListed(id, e) end
    answer[#answer + 1] = i - 1
    answer[#answer + 1] = cjson.encode(e)
  end
end
flush()
wrote = false
answer[1] = stamped({})
return answer
`;

/** sentAs: ARGV: 4 messageIds. Returns: stamp, the lineages that are kept under them, in order; false: none. */
export const sentAsScript = ledgerScript<{ lineages: (string | false)[] }>("sentAs")`
local keys = {}
for i, id in ipairs(cjson.decode(ARGV[4])) do keys[i] = ofLedger .. 'sent:' .. id end
return stamped({ lineages = redis.call('MGET', unpack(keys)) })
`;

/**
 * page: members of an index, oldest first, with their entries.
 *
 * ARGV: 3 { index: open | pending, limit, offset, drain?, unlistedSince? }: of open only unknown outcomes; drain and
 * unlistedSince narrow as in gone. Those of another version are passed over. Returns: array of the stamp, how many living
 * members were walked (some 20 times limit at most), then dlqId and entry JSON alternating. Effects: members whose entry
 * has expired are dropped from the indexes.
 */
export const pageScript = ledgerScript("page")`
local index = call.index == 'open' and openKey or pendingKey
local batchIndex = call.index == 'open' and openBatchesKey or pendingBatchesKey
local ceiling = '+inf'
if call.index == 'open' then ceiling = '(' .. string.format('%.0f', now - limits.takeover) end

local function wanted(e)
  if e.s == 'other-version' then return false end
  if not call.unlistedSince then return true end
  return e.d == call.drain and e.at < call.unlistedSince and (e.w or 0) < call.unlistedSince
end

local found, walked, toSkip = {}, 0, math.max(0, call.offset)
local function isFull() return #found == 2 * call.limit or walked >= 20 * call.limit end

-- Walks the index from the rank where the last walk ended, up to another rank.
local rank = 0
local function walkEntries(upTo)
  local skipped = math.min(toSkip, upTo - rank)
  toSkip, rank = toSkip - skipped, rank + skipped
  while rank < upTo and not isFull() do
    local members = redis.call('ZRANGEBYSCORE', index, '-inf', ceiling, 'LIMIT', rank, math.min(call.limit, upTo - rank))
    if #members == 0 then break end
    for _, id in ipairs(members) do
      local text = redis.call('GET', prefix .. id)
      if not keepsPlace(index, id, text) then
        upTo = upTo - 1
      elseif not isFull() then
        rank, walked = rank + 1, walked + 1
        if wanted(decode(text)) then
          found[#found + 1] = id
          found[#found + 1] = text
        end
      end
    end
  end
end

local function walkBatch(member)
  local b = findBatch(string.match(member, '^%d+:(.*)$'))
  if not b or b.hasEnded then
    redis.call('ZREM', batchIndex, member)
  elseif toSkip >= b.count then
    toSkip = toSkip - b.count
  elseif not wanted(b) then
    toSkip, walked = 0, walked + b.count - toSkip
  else
    for i = toSkip + 1, b.count do
      if isFull() then break end
      walked = walked + 1
      found[#found + 1] = columnsOf(b).ids[i]
      found[#found + 1] = cjson.encode(entryIn(b, i))
    end
    toSkip = 0
  end
end

local batchesByTime = redis.call('ZRANGEBYSCORE', batchIndex, '-inf', ceiling, 'WITHSCORES')
for i = 1, #batchesByTime, 2 do
  if isFull() then break end
  walkEntries(redis.call('ZCOUNT', index, '-inf', '(' .. batchesByTime[i + 1]))
  if not isFull() then walkBatch(batchesByTime[i]) end
end
walkEntries(redis.call('ZCOUNT', index, '-inf', ceiling))
local answer = { stamped({}), walked }
for i = 1, #found do answer[i + 2] = found[i] end
return answer
`;

/**
 * parked: a page of what is parked, in the order of the index.
 *
 * ARGV[3]: { limit, after?: { dlqId, keptUntil } }: the entry before the page. Returns: array of the stamp, how many are
 * parked, then of each member dlqId, score and entry text ('' if it is gone or of another version). Effects: none. If the
 * entry before has left its place, the page begins with the first of its score, which may show some again.
 */
export const parkedScript = ledgerScript("parked")`
local first = redis.call('ZCOUNT', parkedKey, '-inf', now)
local total = redis.call('ZCARD', parkedKey) - first
if call.after then
  local score = redis.call('ZSCORE', parkedKey, call.after.dlqId)
  if score and tonumber(score) == call.after.keptUntil then
    first = math.max(first, redis.call('ZRANK', parkedKey, call.after.dlqId) + 1)
  else
    first = math.max(first, redis.call('ZCOUNT', parkedKey, '-inf', '(' .. string.format('%.0f', call.after.keptUntil)))
  end
end
local members = redis.call('ZRANGE', parkedKey, first, first + call.limit - 1, 'WITHSCORES')
local answer = { stamped({}), total }
for i = 1, #members, 2 do
  local text = redis.call('GET', prefix .. members[i])
  local isParked = text and decode(text).s == 'parked'
  answer[#answer + 1] = members[i]
  answer[#answer + 1] = members[i + 1]
  answer[#answer + 1] = isParked and text or ''
end
return answer
`;
