/**
 * The batches of the ledger, as a part of its prelude.
 *
 * Records that were begun together have no entries of their own while they share one fate. A batch record has
 * what is known of all of them. The key of each id's entry has only a pointer to it: the JSON `[2,"<token>"]`.
 *
 * A batch record is a hash under its prefix and the token: s open, published or gone; ids, m, n, as, da
 *   JSON texts, each a list in the order of ids or one value for all (messageIds, attempts, ids of the
 *   published messages, datesAgree); count of ids; d drain; l when it was begun; at when it was published or
 *   gone; w last listed; ends when its pointers expire, by the server's clock; cb:<id> the listing that first
 *   found a come-back of that id; fk, ru kinds of failure and rules (idAt). An open one is the first POST of its ids:
 *   series 1, posts 1.
 * Indexes: open batches by l, pending batches by at (both `<count>:<token>`), gone batches (token) by when
 *   they are removed, by the server's clock.
 *
 * While the record exists and has not ended, all of its pointers exist and nothing else is under their keys.
 *   - All pointers of a batch are written and renewed together, so they expire at the same time. The record
 *     counts as ended a second before, and expires a minute later. A pointer without a living record is of the
 *     state other-version: nobody acts on what is forgotten in part.
 *   - The whole batch goes on together (published, gone, removed), or explode() gives every id an entry of its
 *     own and removes the record. put() explodes the batch of the id that it changes. Nobody else writes under
 *     the key of an id.
 *   - So what is listed renews the whole batch: it may delay that an id is forgotten or marked gone.
 */
export const batchLua = `
local batches, batchOf, exploded = {}, {}, {}

local function findBatch(token)
  if batches[token] ~= nil then return batches[token] end
  local flat = redis.call('HGETALL', batchPrefix .. token)
  local b = false
  if #flat > 0 then
    b = { token = token }
    for i = 1, #flat, 2 do b[flat[i]] = flat[i + 1] end
    b.l, b.at, b.w = tonumber(b.l), tonumber(b.at), tonumber(b.w)
    b.ends, b.count = tonumber(b.ends), tonumber(b.count)
    b.member = string.format('%d:', b.count) .. token
    b.hasEnded = b.ends <= server
  end
  batches[token] = b
  return b
end

local function isPointer(text) return string.sub(text, 1, 3) == '[2,' end

local tokens = {}
local function batchOfPointer(text)
  tokens[text] = tokens[text] or cjson.decode(text)[2]
  return findBatch(tokens[text])
end

-- The batch of a token, if it has not ended.
local function batchUnder(token)
  local b = findBatch(token)
  return b and not b.hasEnded and b or nil
end

local function setBatch(b, ...)
  local fields = { ... }
  for i = 1, #fields, 2 do b[fields[i]] = fields[i + 1] end
  redis.call('HSET', batchPrefix .. b.token, unpack(fields))
end

-- Records the listing that first found a come-back of one id.
local function nameInBatch(b, id, listing)
  setBatch(b, 'cb:' .. id, listing)
  wrote = true
end

local function at(column, i)
  if type(column) == 'table' then return column[i] end
  return column
end

-- Of the kinds or the rules of a call or a batch (pack-ids.ts).
local function idAt(packed, i)
  local colon = packed and string.find(packed, ':', 1, true)
  if not colon then return packed end
  local place = 10 * tonumber(string.sub(packed, colon + 2 * i - 1, colon + 2 * i), 16)
  return string.sub(packed, place + 1, place + 10)
end

-- The texts of a batch, read once.
local function columnsOf(b)
  if not b.columns then
    local columns = { index = {} }
    for _, name in ipairs({ 'ids', 'm', 'n', 'as', 'da' }) do columns[name] = b[name] and cjson.decode(b[name]) end
    for i, id in ipairs(columns.ids) do columns.index[id] = i end
    b.columns = columns
  end
  return b.columns
end

local function entryIn(b, i)
  local of = columnsOf(b)
  if b.s == 'open' then
    return { v = 1, s = 'open', d = b.d, t = b.token, l = b.l, a = 'republish', x = 1, f = b.l, p = 1, r = 0, n = at(of.n, i) - 1, m = at(of.m, i), fk = idAt(b.fk, i), ru = idAt(b.ru, i) }
  end
  local e = { v = 1, s = b.s, as = at(of.as, i), at = b.at, cb = b['cb:' .. of.ids[i]], fk = idAt(b.fk, i), ru = idAt(b.ru, i) }
  if b.s == 'gone' then return e end
  e.d, e.q, e.w, e.n, e.m = b.d, b.at, b.w, at(of.n, i), at(of.m, i)
  if at(of.da, i) then e.da = 1 end
  return e
end

local function fromPointer(id, text)
  local b = batchOfPointer(text)
  local i = b and not b.hasEnded and columnsOf(b).index[id]
  if not i then return { s = 'other-version' } end
  batchOf[id] = b
  return entryIn(b, i)
end

-- Writes the pointers' life anew if less than this is left of it.
local function renewBatch(b, atLeast)
  if b.ends - server >= atLeast then return end
  for _, id in ipairs(columnsOf(b).ids) do redis.call('PEXPIRE', prefix .. id, limits.pointerLife) end
  b.ends = server + limits.pointerLife - 1000
  setBatch(b, 'ends', b.ends)
  redis.call('PEXPIRE', batchPrefix .. b.token, limits.pointerLife + 60000)
end

local function keepGone(b)
  redis.call('ZADD', goneBatchesKey, server + limits.tombstone, b.token)
  redis.call('PEXPIRE', goneBatchesKey, limits.pointerLife)
end

-- A batch whose ids were listed lives on, as its entries would.
local function listBatch(b)
  if b.isListed then return end
  b.isListed = true
  renewBatch(b, b.s == 'gone' and limits.tombstone or limits.retention)
  if b.s == 'published' then setBatch(b, 'w', now) end
  if b.s == 'gone' then keepGone(b) end
end

-- Begins a batch if none of its ids has an entry. It writes first and asks so: an id that has one, or comes
-- twice, takes the pointers before it back.
local function beginBatch(token, ids, fields)
  local pointer = '[2,' .. cjson.encode(token) .. ']'
  -- As a text: Redis takes longer to print a number for each command.
  local life = string.format('%.0f', limits.pointerLife)
  for i, id in ipairs(ids) do
    if not redis.call('SET', prefix .. id, pointer, 'NX', 'PX', life) then
      for back = 1, i - 1 do redis.call('UNLINK', prefix .. ids[back]) end
      return false
    end
  end
  local key = batchPrefix .. token
  redis.call('HSET', key, 's', 'open', 'count', #ids, 'l', now, 'ends', server + limits.pointerLife - 1000, unpack(fields))
  redis.call('PEXPIRE', key, limits.pointerLife + 60000)
  redis.call('ZADD', openBatchesKey, now, #ids .. ':' .. token)
  wrote = true
  return true
end

local function publishBatch(b, ...)
  renewBatch(b, limits.retention)
  setBatch(b, 's', 'published', 'at', now, ...)
  redis.call('ZREM', openBatchesKey, b.member)
  redis.call('ZADD', pendingBatchesKey, now, b.member)
  wrote = true
end

local function buryBatch(b)
  renewBatch(b, limits.tombstone)
  setBatch(b, 's', 'gone', 'at', now)
  redis.call('HDEL', batchPrefix .. b.token, 'm', 'n', 'da', 'd', 'l', 'w')
  redis.call('ZREM', pendingBatchesKey, b.member)
  keepGone(b)
  wrote = true
end

-- Removes gone batches that are due. Those that end soon expire by themselves: other entries may be under
-- their keys then.
local function removeGone(most)
  for _, token in ipairs(redis.call('ZRANGEBYSCORE', goneBatchesKey, '-inf', server, 'LIMIT', 0, most)) do
    local b = findBatch(token)
    if b and b.s == 'gone' and b.ends - server > 60000 then
      local keys = { batchPrefix .. token }
      for i, id in ipairs(cjson.decode(b.ids)) do keys[i + 1] = prefix .. id end
      redis.call('UNLINK', unpack(keys))
    end
    redis.call('ZREM', goneBatchesKey, token)
  end
end

-- Gives every id an entry of its own. flush() writes them, and removes the record after that.
local function explode(b)
  local left = b.ends - server
  if b.s == 'gone' then left = (tonumber(redis.call('ZSCORE', goneBatchesKey, b.token)) or b.ends) - server end
  for i, id in ipairs(columnsOf(b).ids) do
    entries[id] = entries[id] or entryIn(b, i)
    batchOf[id] = nil
    places[id] = {}
    writeLater(id, math.max(1, left))
  end
  exploded[#exploded + 1] = b
end

local function removeExploded()
  for _, b in ipairs(exploded) do
    redis.call('DEL', batchPrefix .. b.token)
    redis.call('ZREM', openBatchesKey, b.member)
    redis.call('ZREM', pendingBatchesKey, b.member)
    redis.call('ZREM', goneBatchesKey, b.token)
    batches[b.token] = false
  end
  exploded = {}
end

-- Time of the oldest batch that lives. Drops those that have ended on the way.
local function oldestBatch(index)
  while true do
    local head = redis.call('ZRANGE', index, 0, 0, 'WITHSCORES')
    if #head == 0 then return nil end
    local b = findBatch(string.match(head[1], '^%d+:(.*)$'))
    if b and not b.hasEnded then return tonumber(head[2]) end
    redis.call('ZREM', index, head[1])
  end
end

-- How many records are in batches of an index.
local function countBatched(index, ceiling)
  local sum = 0
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', index, '-inf', ceiling)) do
    sum = sum + tonumber(string.match(member, '^%d+'))
  end
  return sum
end
`;
