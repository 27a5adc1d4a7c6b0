import type { Token } from "../../contracts/ids.ts";
import type { PublishedVerdict, Riding, SourceFacts } from "../../contracts/ledger.ts";
import { ledgerScript } from "./prelude.lua.ts";
import { writeAuditLua } from "./write-audit.lua.ts";

/**
 * published: a fact from every state but gone. It is not fenced by a token: that would throw proof away.
 *
 * ARGV: 3 { columns attempt, deletePending, datesAgree, namedBy, drain (false: none), lineage (false: none), token? }, 4 dlqIds, 5 as
 * ('': not known), 6 messageIds (column, false: none). With a token they are the ids of its batch, in its order: 4 and 6 are
 * empty, drain is of all, all deletions are pending, and nothing names them.
 * Returns: stamp, source facts, verdicts in order, each with the kind of failure and the rule if its come-back is the
 * first; absent if all are recorded; isUnknown if the token has no batch: nothing was done.
 * Effects: entries become published, the first `as` stays; pending where deletePending. A new publication
 * with deletePending is an acceptance: lastAcceptedAt is now and refusedAloneInARow 0. Evidence from a
 * come-back is old and is not. A lineage is kept under its message's id. Without a message an open entry of the
 * service's own retry becomes cool, and others stay. Rules are counted. If all are recorded, the audit's texts are written.
 * Run twice: the same answer, nothing changes.
 */
export const publishedScript = ledgerScript<
  SourceFacts & Riding & { verdicts?: readonly PublishedVerdict[]; isUnknown?: true }
>("published")`${writeAuditLua}
evenWhenFull()

-- What each rule has published, and what of it came back. A drop names no rule.
local counted = {}
local function count(rule, name, by)
  if rule then counted[rule .. name] = (counted[rule .. name] or 0) + (by or 1) end
end
local function writeCounts()
  for field, by in pairs(counted) do redis.call('HINCRBY', rulesKey, field, by) end
end

local batch = call.token and batchUnder(call.token)
if call.token and not batch then return stamped({ isUnknown = true }) end
if batch and batch.s == 'open' then
  publishBatch(batch, 'as', ARGV[5], 'n', cjson.encode(call.attempt), 'da', cjson.encode(call.datesAgree), 'd', call.drain or batch.d)
  local isMixed = batch.ru and string.find(batch.ru, ':', 1, true)
  for i = 1, isMixed and batch.count or 1 do count(idAt(batch.ru, i), 's', not isMixed and batch.count) end
  writeCounts()
  recordAcceptance()
end
local idsText = batch and batch.ids or ARGV[4]
if batch and batch.s == 'published' and batch.as == ARGV[5] then
  return answered(withSourceFacts({}), true, idsText, ARGV[5])
end

-- A come-back names its parent. The first one is stored, so that a second run answers the same.
local function name(fact, e)
  if not fact.namedBy then return nil end
  if not e.cb then
    e.cb = fact.namedBy
    count(e.ru, 'f')
    local b = batchOf[fact.dlqId]
    if b then nameInBatch(b, fact.dlqId, e.cb) else put(fact.dlqId, e) end
  end
  return e.cb == fact.namedBy or nil
end

local function record(fact, e)
  -- Its come-back may wait as long as it did.
  if fact.lineage then redis.call('SET', ofLedger .. 'sent:' .. fact.as, fact.lineage, 'PX', 2 * limits.retention) end
  if e and e.s == 'other-version' then return { kind = e.s } end
  if fact.as == '' then
    if e and e.s == 'open' and e.sv then
      put(fact.dlqId, { s = 'cool', u = now, n = fact.attempt, m = e.m, x = e.x, f = e.f, p = 0, r = 0, un = e.un, dd = e.dd })
    end
    return { kind = 'recorded' }
  end
  if e and e.s == 'gone' then return { kind = 'gone', as = e.as, firstNaming = name(fact, e) } end
  if e and e.s == 'published' then
    if fact.deletePending and not e.q then
      e.q, e.d, e.m = now, e.d or fact.drain, e.m or fact.messageId
      put(fact.dlqId, e)
    end
    local first = name(fact, e)
    if e.as == fact.as then return { kind = 'recorded', firstNaming = first } end
    return { kind = 'already', as = e.as, firstNaming = first }
  end
  local p = { s = 'published', as = fact.as, at = now, d = fact.drain, m = fact.messageId, n = fact.attempt, da = fact.datesAgree and 1 or nil }
  if e then
    p.fk, p.ru, p.q, p.df, p.mg, p.w = e.fk, e.ru, e.q, e.df, e.mg, e.w
    p.d, p.m = p.d or e.d, p.m or e.m
    -- Evidence settles what was in doubt: it may be listed still.
    p.ar = e.ar
    if e.s == 'open' and not fact.lineage and not e.ar then p.q = p.q or now end
  end
  if fact.deletePending then p.q = p.q or now end
  if fact.deletePending or fact.lineage or (p.ar and not fact.namedBy) then recordAcceptance() end
  p.cb = fact.namedBy
  count(p.ru, 's')
  if p.cb then count(p.ru, 'f') end
  put(fact.dlqId, p)
  return { kind = 'recorded', firstNaming = p.cb and true or nil }
end

local ids, as, messageIds = cjson.decode(idsText), cjson.decode(ARGV[5]), cjson.decode(ARGV[6])
load(ids)
local verdicts, isAllRecorded = {}, true
for i, id in ipairs(ids) do
  local e = read(id)
  verdicts[i] = record({
    dlqId = id, as = as[i], messageId = at(messageIds, i) or nil, attempt = at(call.attempt, i),
    deletePending = at(call.deletePending, i), datesAgree = at(call.datesAgree, i),
    namedBy = at(call.namedBy, i) or nil, lineage = at(call.lineage, i) or nil, drain = at(call.drain, i) or nil,
  }, e)
  if verdicts[i].firstNaming and e then verdicts[i].failure, verdicts[i].rule = e.fk, e.ru end
  if verdicts[i].kind ~= 'recorded' then isAllRecorded = false end
end
writeCounts()
return answered(withSourceFacts({ verdicts = verdicts }), isAllRecorded, idsText, ARGV[5])
`;

/**
 * archived: a fact for drops, fenced: the archive's file is this token's.
 *
 * ARGV: 3 { file, token }, 4 dlqIds. Returns: stamp, verdicts in order: recorded | not-yours.
 * Effects: open(drop) of the token becomes archived and pending. Run twice: the same answer, nothing changes.
 */
export const archivedScript = ledgerScript<{ verdicts: readonly ("recorded" | "not-yours")[] }>("archived")`
evenWhenFull()
local ids, verdicts = cjson.decode(ARGV[4]), {}
load(ids)
for i, id in ipairs(ids) do
  local e = read(id)
  local verdict = 'not-yours'
  if e and e.t == call.token and e.s == 'archived' then verdict = 'recorded' end
  if e and e.t == call.token and e.s == 'open' and e.a == 'drop' then
    local a = { s = 'archived', file = call.file, t = call.token, at = now, d = e.d, m = e.m, q = now, un = e.un, dd = e.dd }
    if e.p > 0 or e.x > 1 then a.x = e.x + 1 end
    if e.p - e.r > 0 then a.un, a.dd = (e.un or 0) + 1, 'unknown-outcome-past-window' end
    put(id, a)
    verdict = 'recorded'
  end
  verdicts[i] = verdict
end
return stamped({ verdicts = verdicts })
`;

/**
 * gone: a fact, only from published or archived.
 *
 * ARGV: 3 { unlistedSince?, drain? }: with unlistedSince only entries of that drain from before it and not listed since;
 * 4 dlqIds, 5 tokens of batches. Returns: stamp, count of the given ids and those of the batches that are tombstones now,
 * left if there are tokens that have no batch, or one that may not go as a whole. Effects: entry → tombstone, out of
 * pending and failed, and counted in the meta's `gone`. Each call removes two gone batches that are due.
 * Run twice: the same count, nothing changes.
 */
export const goneScript = ledgerScript<{ count: number; left?: readonly Token[] }>("gone")`
evenWhenFull()

local function mayGo(e)
  if e.s ~= 'published' and e.s ~= 'archived' then return false end
  if not call.unlistedSince then return true end
  return e.d == call.drain and e.at < call.unlistedSince and (e.w or 0) < call.unlistedSince
end

local count, buried, left = 0, 0, {}
for _, token in ipairs(cjson.decode(ARGV[5])) do
  local b = batchUnder(token)
  if b and mayGo(b) then
    buryBatch(b)
    buried = buried + b.count
  end
  if b and b.s == 'gone' then count = count + b.count else left[#left + 1] = token end
end
removeGone(2)

local ids = cjson.decode(ARGV[4])
load(ids)
for _, id in ipairs(ids) do
  local e = read(id)
  if e and e.s == 'gone' then
    count = count + 1
  elseif e and mayGo(e) then
    put(id, { s = 'gone', at = now, as = e.as, cb = e.cb, fk = e.fk, ru = e.ru, x = e.x, un = e.un, dd = e.dd, ar = e.ar })
    count = count + 1
    buried = buried + 1
  end
end
if buried > 0 then redis.call('HINCRBY', metaKey, 'gone', buried) end
return stamped({ count = count, left = #left > 0 and left or nil })
`;

/**
 * A DELETE of these did not end with all of them deleted.
 *
 * ARGV: 3 { failed, maybeGone, drain (false: none) }, 4 dlqIds, 5 messageIds (column, false: none). Returns: stamp. Effects:
 * published or archived entries are pending; failed flags them for good, maybeGone: they are searched for before the next
 * DELETE. What was known by a come-back alone gets its drain and message: without them no listing could prove it gone, and
 * the settle gate would stay closed. Run twice: the same, nothing changes.
 */
export const deleteFailedScript = ledgerScript("deleteFailed")`
evenWhenFull()
local ids, messageIds = cjson.decode(ARGV[4]), cjson.decode(ARGV[5])
load(ids)
for i, id in ipairs(ids) do
  local e = read(id)
  if e and (e.s == 'published' or e.s == 'archived') then
    local df, mg = call.failed and 1 or e.df, call.maybeGone and 1 or nil
    local d, m = e.d or call.drain or nil, e.m or at(messageIds, i) or nil
    if e.df ~= df or e.mg ~= mg or not e.q or (e.d or nil) ~= d or (e.m or nil) ~= m then
      e.df, e.mg, e.q, e.d, e.m = df, mg, e.q or now, d, m
      put(id, e)
    end
  end
end
return stamped({})
`;
