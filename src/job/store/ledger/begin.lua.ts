import type { BeginAnswer, BeginVerdict, Riding } from "../../contracts/ledger.ts";
import { ledgerScript } from "./prelude.lua.ts";
import { writeAuditLua } from "./write-audit.lua.ts";

type BatchBegun = Riding & { readonly kind: "answered"; readonly all: BeginVerdict };

/**
 * begin: takes the right to act and writes the intent.
 *
 * ARGV: 3 { token, drain, act, via?, pageReadAt, lookedUp?, previous?: { token, outcome }, pastHorizon, rulesHash?, isDiscard?,
 * archivedForMs?, destinations?, workerLostAt?, fk?, ru? (pack-ids.ts) }, 4 dlqIds, 5 messageIds (column), 6 attempts (column).
 * Returns: stamp with kind answered and verdicts in order (a dueAt is by the server's clock), or in their
 * place `all`, the one verdict of a batch; or kind page-too-old, paused, settle-gate, or host-paused with the
 * names of `destinations` that are paused, with nothing begun.
 * Effects: entries of begun verdicts become open under the token; a previous POST's outcome is counted once.
 * Two or more records to republish of which none is known become a batch. If all are begun and no double is
 * declared, the audit's texts are written (write-audit.lua.ts).
 * Run twice: what the token holds answers begun with the same series and changes nothing.
 *
 * firstAt moves only if no POST of the series may be unanswered (posts = refusals). So no POST of one id
 * begins later than firstAt + horizon.
 *
 * A series with a refusal and nothing unanswered has ended: the next POST takes the next suffix. A service
 * may register the id of an item that it refuses, so a later hit on that id would prove nothing. A hit on an
 * id that was never refused is proof.
 *
 * The service's own retry has no horizon. What a batch may have published is a declared double by it.
 */
export const beginScript = ledgerScript<BeginAnswer | BatchBegun>("begin")`${writeAuditLua}
local previous = call.previous
local ids = cjson.decode(ARGV[4])

local function begun(e)
  return {
    kind = 'begun',
    series = { suffix = e.x, firstAt = e.f, posts = e.p, refusals = e.r, doubts = e.un or 0 },
    declaredDouble = e.dd or false,
  }
end

local function batchBegun(at)
  return answered({ kind = 'answered', all = begun({ x = 1, f = at, p = 1, r = 0 }) }, true, ARGV[4])
end

-- Those of the call's destinations that are paused.
local pausedHosts = {}

-- A person's pauses are few. They end by the server's clock.
local function pauseNow()
  if redis.call('HLEN', pausesKey) == 0 then return nil end
  local isCalled, refusal = {}, nil
  pausedHosts = {}
  for _, name in ipairs(call.destinations or {}) do isCalled[name] = true end
  for _, text in ipairs(redis.call('HVALS', pausesKey)) do
    local pause = cjson.decode(text)
    local isOver = pause['until'] and pause['until'] <= server
    if not isOver and (pause.drain == '*' or pause.drain == call.drain) then
      if not pause.host then return 'paused' end
      if isCalled[pause.host] then
        pausedHosts[#pausedHosts + 1] = pause.host
        refusal = 'host-paused'
      end
    end
  end
  return refusal
end

local function notBegun(refusal)
  return stamped({ kind = refusal, hosts = refusal == 'host-paused' and pausedHosts or nil })
end

local function pageRefusal()
  if now - call.pageReadAt > limits.maxPageAge then return 'page-too-old' end
  -- It was listed before the ledger went back to the server's time, so its age is unknown.
  if call.pageReadAt > now then return 'page-too-old' end
  -- What was looked up before writes were lost may show what another worker has published meanwhile as not sent.
  for _, seen in ipairs(call.lookedUp or {}) do
    if seen.epoch ~= meta.epoch or seen.sequence > tonumber(meta.sequence or 0) then return 'page-too-old' end
  end
  local paused = pauseNow()
  if paused then return paused end
  if settleGateClosed() then return 'settle-gate' end
  return nil
end

-- Repeating a POST in doubt publishes nothing that may not be published already.
local function asksAgain(e)
  return call.act == 'republish' and not e.sv and not isAtWork(e.l) and e.p - e.r > 0 and now <= e.f + limits.horizon
end

local function isBeingDeleted(e) return e.q and not e.cb and not e.df and not e.mg and isAtWork(e.at) end

local own = call.act == 'republish' and #ids > 1 and findBatch(call.token)
if own and own.s == 'open' and own.ids == ARGV[4] and not own.hasEnded then return batchBegun(own.l) end
if call.act == 'republish' and not call.via and not call.archivedForMs and #ids > 1 and not own and not previous and not pageRefusal() then
  local fields = { 'ids', ARGV[4], 'm', ARGV[5], 'n', ARGV[6], 'd', call.drain }
  for _, name in ipairs({ 'fk', 'ru' }) do
    if call[name] then table.insert(fields, name) table.insert(fields, call[name]) end
  end
  if beginBatch(call.token, ids, fields) then return batchBegun(now) end
end

load(ids)
local messageIds, attempts = cjson.decode(ARGV[5]), cjson.decode(ARGV[6])
local found, holdsSome, asksSome = {}, false, false
for i, id in ipairs(ids) do
  local e = read(id)
  found[i] = e or false
  if e and e.s == 'open' and e.t == call.token then holdsSome = true end
  if e and e.s == 'open' and asksAgain(e) then asksSome = true end
end

-- Whether entries may begin that the token does not have yet. A retry begins no others. A repeated call
-- begins what the gates allow. The settle gate and a paused destination allow POSTs that ask again.
local mayBegin, mayAsk = not previous, not previous
if not previous then
  local refusal = pageRefusal()
  mayAsk = not refusal or ((refusal == 'settle-gate' or refusal == 'host-paused') and asksSome)
  if refusal and not holdsSome and not mayAsk then return notBegun(refusal) end
  if refusal then mayBegin = false end
elseif previous.outcome == 'refused' and not holdsSome then
  -- Nothing of it was accepted, so a pause holds it like a first POST. It is halved for minutes at a slow service.
  local refusal = pauseNow()
  if refusal then return notBegun(refusal) end
end

-- The series of the next POST, or nil past the horizon. pastHorizon: leave, or the double that a new series
-- declares.
local function nextSeries(e, pastHorizon)
  local s = { x = 1, f = now, p = 0, r = 0 }
  if e then s = { x = e.x, f = e.f, p = e.p, r = e.r } end
  local doubts = e and e.un or 0
  -- A declared double stays one: an earlier series may still have been accepted.
  local double = e and e.dd
  if call.act == 'drop' then return s, double, doubts end
  local isOpen = s.p - s.r > 0
  if isOpen and e.sv and call.via then
    s.f = now
  elseif not isOpen or e.sv then
    s = { x = s.r > 0 and s.x + 1 or s.x, f = now, p = 0, r = 0 }
  elseif call.via or now > s.f + limits.horizon then
    if pastHorizon == 'leave' then return nil end
    s = { x = s.x + 1, f = now, p = 0, r = 0 }
    double = pastHorizon
    doubts = doubts + 1
  end
  s.p = s.p + 1
  return s, double, doubts
end

local unknownPastHorizon = call.pastHorizon == 'new-series' and 'unknown-outcome-past-window' or 'leave'

local function open(request, e, pastHorizon)
  local s, double, doubts = nextSeries(e, pastHorizon)
  if not s then return { kind = 'past-horizon' } end
  if s.x > 1 then setMeta('endedAt', now) end
  local opened = {
    s = 'open', d = call.drain, t = call.token, l = now, a = call.act, dd = double,
    x = s.x, f = s.f, p = s.p, r = s.r, n = request.attempt - 1, m = request.messageId, fk = request.failure, ru = request.rule,
  }
  if call.act == 'drop' then opened.sv = e and e.sv elseif call.via then opened.sv = 1 end
  if doubts > 0 then opened.un = doubts end
  if e then opened.ra = e.ra opened.rt = e.rt opened.rel = e.rel end
  opened.ar = call.archivedForMs or e and e.ar
  if call.act == 'drop' and (call.isDiscard or e and e.o) then opened.o = 1 end
  put(request.dlqId, opened)
  return begun(opened)
end

local function retry(request, e)
  countOutcome(e, previous.outcome)
  local verdict = open(request, e, unknownPastHorizon)
  if verdict.kind == 'past-horizon' then put(request.dlqId, e) end
  return verdict
end

local function decide(request, e)
  if not e then
    if not mayBegin then return { kind = 'in-flight' } end
    return open(request, nil, 'leave')
  end
  if e.s == 'open' then
    if e.t == call.token and not e.e then return begun(e) end
    if previous and e.t == previous.token then return retry(request, e) end
    if isAtWork(e.l) or call.isDiscard and not e.o then return { kind = 'in-flight' } end
    -- What a later page lists was not published by the service's own retry.
    if e.sv and not call.via and call.pageReadAt <= e.l + limits.takeover then return { kind = 'in-flight' } end
    if not mayBegin and not (mayAsk and asksAgain(e)) then return { kind = 'in-flight' } end
    return open(request, e, unknownPastHorizon)
  end
  if e.s == 'cool' then
    if now < e.u then return { kind = 'cooling', dueAt = e.u - ahead } end
    if not mayBegin then return { kind = 'in-flight' } end
    return open(request, e, 'released-past-window')
  end
  if e.s == 'parked' then
    local underOtherRules = decidedAgain[e.why] and call.rulesHash and e.d == call.drain and e.h ~= call.rulesHash
    if not mayBegin or not (underOtherRules or call.isDiscard) then return { kind = 'parked', reason = e.why } end
    return open(request, e, unknownPastHorizon)
  end
  if e.s == 'gone' and not e.as and call.archivedForMs then
    if not mayBegin then return { kind = 'in-flight' } end
    return open(request, { x = e.x or 1, f = now, p = 0, r = 0, un = e.un, dd = e.dd }, 'leave')
  end
  if e.s == 'published' then return { kind = 'published', as = e.as, isBeingDeleted = isBeingDeleted(e) or nil } end
  return { kind = e.s }
end

local verdicts, isAllPlain = {}, true
for i, id in ipairs(ids) do
  verdicts[i] = decide({ dlqId = id, messageId = at(messageIds, i), attempt = at(attempts, i), failure = idAt(call.fk, i), rule = idAt(call.ru, i) }, found[i] or nil)
  if verdicts[i].kind ~= 'begun' or verdicts[i].declaredDouble then isAllPlain = false end
end
return answered({ kind = 'answered', verdicts = verdicts }, isAllPlain, ARGV[4])
`;
