import { reasonsDecidedAgain } from "../../contracts/ledger-entries.ts";
import type { LedgerStamp } from "../../contracts/ledger.ts";
import { luaScript } from "../../redis/script-runner.ts";
import { serverTimeLua } from "../server-time.lua.ts";
import { batchLua } from "./batch.lua.ts";

/**
 * What every script of the ledger starts with.
 *
 * KEYS: 1 meta (hash: epoch, sequence, lastNow, ahead, lastAcceptedAt, refusedAloneInARow, lostAt, lostSince,
 *   wroteAt the last change of an entry, endedAt when a refusal last ended a series or a later one began, coolUntil when the last
 *   cool entry ends, returnedAt when the ledger last returned to the server's time). The other keys have its
 *   hash tag and are named after it: nine names a call would be a tenth of its bytes. open (zset: dlqId by
 *   lastAt), pending (zset: dlqId by when its deletion became pending), failed (set: pending ones whose
 *   DELETE failed), pauses (hash: redis-pause-book.ts), parked (zset: dlqId by when its entry expires),
 *   rules (hash: of each rule, by its id, s how many it has published, f how many of them came back),
 *   open-batches, pending-batches, gone-batches (zsets: batch.lua.ts), and those of entries and batches.
 *   2 none, which never is a key. So a cluster that moves the slot refuses the script until it has moved all of
 *   it (TRYAGAIN): an entry that has gone ahead would look absent, and its message would be doubled.
 * ARGV: 1 epoch to set if there is none, 2 limits (JSON, ms), 3 the call (JSON), 4 and more: its lists (JSON).
 *   A column is a list, or one value for all.
 *
 * An entry is JSON: v layout, s state, then series (open, cool, parked): x suffix, f firstAt, p posts, r
 *   refusals, un earlier series that may have been accepted, dd such a series makes this one a declared
 *   double; n redrives known to have been made; m messageId open, cool: ra, rt how often refused alone and
 *   when last; rel released: 1 by a person, 2 because it is listed again
 *   sv the series is of the service's own retry
 *   ar the archive alone has it, and for so long (ms): the entry lives as long
 *   fk kind of failure, ru rule: parked, and open, published and gone as it was begun
 *   open: d drain, t token, l lastAt, a act, o a person discards it, e the token's POST is answered
 *   cool: u dueAt, t whose refusal
 *   published: as; archived: file, t token; both: m, at, d drain, q pending since, df its DELETE failed, mg
 *       it may be gone, da it entered when it was created, w last listed, cb the listing that first found a
 *       come-back of it; gone: as, cb; archived and gone: x, un, dd for the series after the drop, if there was a POST
 *   parked: why, d drain, h rules hash
 * Or it is a part of a batch: batch.lua.ts. read() answers the entry that it would be.
 *
 * Another version of redriver may have written another layout. read() answers such an entry as the state
 *   other-version. It is never changed, and stays in its indexes.
 *
 * Only put() changes an entry. flush() writes what was put, each with the life of its state, and moves it in
 *   the indexes that its change concerns. Parked entries may expire without a call, so each addition to their
 *   index removes the expired ones.
 */
const preludeLua = `${serverTimeLua}
local metaKey, ofSource = KEYS[1], string.sub(KEYS[1], 1, -1 - #'ledger:meta')
local pausesKey, ofLedger = ofSource .. 'pauses', ofSource .. 'ledger:'
local rulesKey, openKey, pendingKey, failedKey, parkedKey = ofLedger .. 'rules', ofLedger .. 'open', ofLedger .. 'pending', ofLedger .. 'failed', ofLedger .. 'parked'
local openBatchesKey, pendingBatchesKey, goneBatchesKey = ofLedger .. 'open-batches', ofLedger .. 'pending-batches', ofLedger .. 'gone-batches'
local prefix, batchPrefix = ofLedger .. 'entry:', ofLedger .. 'batch:'
local seed, limits, call = ARGV[1], cjson.decode(ARGV[2]), cjson.decode(ARGV[3])
local wrote, coolUntil = false, 0
local meta, metaChanges = {}, {}
local metaNames = { 'lastNow', 'ahead', 'epoch', 'sequence', 'lostAt', 'lostSince', 'endedAt', 'coolUntil', 'lastAcceptedAt', 'refusedAloneInARow', 'gone' }
for i, value in ipairs(redis.call('HMGET', metaKey, unpack(metaNames))) do meta[metaNames[i]] = value end
-- Lives end by the server's clock.
local server = now
-- The ledger's time is the server's. If the server's time goes back (it was set right, or another server took
-- over), the ledger counts on from where it was: time since a POST must not be lost, or the POST would be
-- made again outside of its window. The summary returns to the server's time when no entry depends on its
-- age.
local lastNow, ahead = tonumber(meta.lastNow or 0), tonumber(meta.ahead or 0)
now = now + ahead
if now < lastNow then
  ahead = ahead + lastNow - now
  now = lastNow
end
local decidedAgain = { ${reasonsDecidedAgain.map((reason) => `['${reason}'] = true`).join(", ")} }

-- stamped() writes it.
local function setMeta(name, value)
  meta[name] = value
  metaChanges[#metaChanges + 1] = name
  metaChanges[#metaChanges + 1] = value
end

-- Of each id: its entry (false: none), its places in the indexes as they are, and whether it is to be written
-- (the life that it has left, or true: the life of its state).
local entries, places, toWrite, idsToWrite = {}, {}, {}, {}

local function writeLater(id, life)
  if not toWrite[id] then idsToWrite[#idsToWrite + 1] = id end
  toWrite[id] = life
  wrote = true
end

local function indexParked(id, life)
  redis.call('ZREMRANGEBYSCORE', parkedKey, '-inf', now)
  redis.call('ZADD', parkedKey, now + life, id)
end

local function decode(text)
  local e = cjson.decode(text)
  if e.v ~= 1 then return { v = e.v, s = 'other-version' } end
  return e
end

local function placesOf(e)
  if e.s == 'open' then return { open = e.l } end
  if e.s == 'parked' then return { parked = true } end
  if e.s == 'published' or e.s == 'archived' then return { pending = e.q, failed = e.q and e.df } end
  return {}
end
${batchLua}
local function load(ids)
  local wanted, keys, count = {}, {}, 0
  for _, id in ipairs(ids) do
    if entries[id] == nil then
      count = count + 1
      entries[id], wanted[count], keys[count] = false, id, prefix .. id
    end
  end
  if count == 0 then return end
  for i, text in ipairs(redis.call('MGET', unpack(keys))) do
    local id = text and wanted[i]
    if id and isPointer(text) then
      entries[id] = fromPointer(id, text)
    elseif id then
      local e = decode(text)
      entries[id] = e
      places[id] = placesOf(e)
    end
  end
end

-- Whether whoever began or published it may be at it still. Scripts decide by it. What is only read, entry.ts judges
-- in the same way, since reads send entries as they are stored.
local function isAtWork(since)
  return now <= since + limits.takeover and since >= (call.workerLostAt or 0)
end

-- The verdict of each request of the call, in order.
local function verdictsOf(decide)
  local ids, verdicts = {}, {}
  for i, request in ipairs(call.requests) do ids[i] = request.dlqId end
  load(ids)
  for i, request in ipairs(call.requests) do verdicts[i] = decide(request) end
  return verdicts
end

local function read(id)
  if entries[id] == nil then load({ id }) end
  return entries[id] or nil
end

local function put(id, e)
  if batchOf[id] then explode(batchOf[id]) end
  entries[id] = e
  writeLater(id, true)
end

-- A cool entry in a later series lives on: an earlier series may have been accepted. If it were forgotten,
-- the next POST would double the message undeclared.
local function lifeOf(e)
  local life = limits.retention
  if e.s == 'gone' then
    life = limits.tombstone
  elseif e.s == 'cool' and not e.rel and e.x == 1 then
    life = math.max(e.u - now, limits.coolLife)
  end
  return math.max(life, e.ar or 0)
end

-- Adds or removes many members at once.
local function change(command, changes)
  for key, args in pairs(changes) do
    for i = 1, #args, 1000 do redis.call(command, key, unpack(args, i, math.min(i + 999, #args))) end
  end
end

local function flush()
  -- Redis takes longer to print a number for each command.
  local added, removed, failed, lifeTexts = {}, {}, {}, {}
  local function move(key, id, was, is)
    if is and is ~= was then
      added[key] = added[key] or {}
      table.insert(added[key], is)
      table.insert(added[key], id)
    elseif was and not is then
      removed[key] = removed[key] or {}
      table.insert(removed[key], id)
    end
  end
  for _, id in ipairs(idsToWrite) do
    local e, was = entries[id], places[id] or {}
    local is = placesOf(e)
    local life = toWrite[id] == true and math.max(1, math.floor(lifeOf(e))) or toWrite[id]
    e.v = 1
    lifeTexts[life] = lifeTexts[life] or string.format('%.0f', life)
    redis.call('SET', prefix .. id, cjson.encode(e), 'PX', lifeTexts[life])
    if e.s == 'cool' then coolUntil = math.max(coolUntil, now + life) end
    move(openKey, id, was.open, is.open)
    move(pendingKey, id, was.pending, is.pending)
    if is.failed and not was.failed then failed[#failed + 1] = id end
    if was.failed and not is.failed then redis.call('SREM', failedKey, id) end
    if is.parked then indexParked(id, limits.retention) elseif was.parked then redis.call('ZREM', parkedKey, id) end
    places[id] = is
  end
  change('ZADD', added)
  change('ZREM', removed)
  change('SADD', { [failedKey] = failed })
  removeExploded()
  toWrite, idsToWrite = {}, {}
end

-- Counts how the token's POST ended, once; a drop makes none.
local function countOutcome(e, outcome)
  if e.e then return end
  e.e = 1
  if e.a == 'drop' then return end
  if outcome == 'not-sent' then e.p = e.p - 1 elseif outcome ~= 'unknown' then e.r = e.r + 1 end
  if e.r > 0 and e.p <= e.r then setMeta('endedAt', now) end
end

-- Whether an index has a place for what is under an id's key. If not, the id leaves it.
local function keepsPlace(index, id, text)
  if text and not isPointer(text) then
    local e = decode(text)
    local is = placesOf(e)
    if e.s == 'other-version' or index == openKey and is.open or index == pendingKey and is.pending then return true end
    redis.call('ZREM', index, id)
    return false
  end
  redis.call('ZREM', openKey, id)
  redis.call('ZREM', pendingKey, id)
  redis.call('SREM', failedKey, id)
  return false
end

-- Time of the oldest member whose entry lives. Drops others on the way, at most 1000 a call.
local function oldest(index, batchIndex)
  local since = oldestBatch(batchIndex)
  for dropped = 0, 1000 do
    local head = redis.call('ZRANGE', index, 0, 0, 'WITHSCORES')
    if #head == 0 then return since end
    if dropped == 1000 or keepsPlace(index, head[1], redis.call('GET', prefix .. head[1])) then
      return math.min(tonumber(head[2]), since or math.huge)
    end
  end
end

local function settleGateClosed()
  if redis.call('SCARD', failedKey) > limits.gateFailed then return true end
  local since = oldest(pendingKey, pendingBatchesKey)
  return since ~= nil and now - since > limits.gateAge
end

-- Facts are written even when maxmemory is reached. Redis refuses only a script's first write, and lets a
-- write pass that needs no memory.
local function evenWhenFull() redis.call('ZREM', openKey, '') end

local function stamped(answer)
  flush()
  if not meta.epoch then setMeta('epoch', seed) end
  if wrote then
    setMeta('sequence', tonumber(meta.sequence or 0) + 1)
    setMeta('lastNow', now)
    setMeta('ahead', ahead)
    setMeta('wroteAt', now)
    if coolUntil > tonumber(meta.coolUntil or 0) then setMeta('coolUntil', coolUntil) end
  end
  if #metaChanges > 0 then redis.call('HSET', metaKey, unpack(metaChanges)) end
  answer.epoch = meta.epoch
  answer.sequence = tonumber(meta.sequence or 0)
  if meta.lostAt then answer.lost = { at = tonumber(meta.lostAt), since = tonumber(meta.lostSince) } end
  -- What cools may begin a later series at any time.
  if meta.endedAt then answer.seriesEndedAt = math.max(tonumber(meta.endedAt), math.min(now, tonumber(meta.coolUntil or 0))) end
  answer.at = now
  return cjson.encode(answer)
end

local function recordAcceptance()
  setMeta('lastAcceptedAt', now)
  setMeta('refusedAloneInARow', 0)
end

local function withSourceFacts(answer)
  answer.lastAcceptedAt = tonumber(meta.lastAcceptedAt or nil) or cjson.null
  answer.refusedAloneInARow = tonumber(meta.refusedAloneInARow or 0)
  return answer
end
`;

/** `Answer`: besides the stamp. */
export const ledgerScript = <Answer = object>(name: string) =>
  luaScript<LedgerStamp & Answer>(`ledger:${name}`, preludeLua);
