import type { ParkVerdict, RefusedVerdict, SourceFacts } from "../../contracts/ledger.ts";
import { ledgerScript } from "./prelude.lua.ts";

/**
 * refused: ends the POST of the current token that certainly was not accepted.
 *
 * ARGV[3]: { token, requests: [{ dlqId, outcome, coolMs }] }. Returns: stamp, source facts, verdicts in order.
 * Effects: the POST is counted once. If no POST of the series is unanswered, open → cool. Otherwise the entry
 * stays open and is marked as answered, so that only the earlier POST is in doubt. A hit shows that the
 * service takes messages: lastAcceptedAt is now and refusedAloneInARow 0.
 * Run twice: the entry knows whose refusal was counted; the same answer, nothing changes.
 */
export const refusedScript = ledgerScript<SourceFacts & { verdicts: readonly RefusedVerdict[] }>("refused")`
local function countAlone(e)
  setMeta('refusedAloneInARow', tonumber(meta.refusedAloneInARow or 0) + 1)
  if e.rt and now - e.rt < limits.aloneEvery then return end
  e.ra = (e.ra or 0) + 1
  e.rt = now
end

local function refuse(request)
  local e = read(request.dlqId)
  if not e or e.t ~= call.token then return { kind = 'not-yours' } end
  if e.s == 'cool' then return { kind = 'cool', refusedAlone = e.ra or 0 } end
  if e.s ~= 'open' then return { kind = 'not-yours' } end
  local counted = e.e
  if not counted and request.outcome == 'refused-alone' then countAlone(e) end
  if not counted and request.outcome == 'hit-after-refusals' then recordAcceptance() end
  countOutcome(e, request.outcome)
  if e.p - e.r > 0 then
    if not counted then put(request.dlqId, e) end
    return { kind = 'stays-open' }
  end
  local c = {
    s = 'cool', u = now + request.coolMs, t = call.token, n = e.n, m = e.m,
    x = e.x, f = e.f, p = e.p, r = e.r, ra = e.ra, rt = e.rt, rel = e.rel, un = e.un, dd = e.dd, sv = e.sv,
  }
  put(request.dlqId, c)
  return { kind = 'cool', refusedAlone = c.ra or 0 }
end

return stamped(withSourceFacts({ verdicts = verdictsOf(refuse) }))
`;

/**
 * park: leaves records for a person, or until rules or settings change.
 *
 * ARGV[3]: { drain, rulesHash, token?, seenAt?, workerLostAt?, requests: [{ dlqId, reason, attempt, failure? }] }. Returns:
 * stamp, verdicts in order. Effects: absent, cool, unknown, or open under the token → parked, keeping the series; parked →
 * reason, drain and hash renewed, except that a reason which is decided again does not replace one that waits for a
 * person. An entry that a person released since seenAt stays as it is. Run twice: the same.
 */
export const parkScript = ledgerScript<{ verdicts: readonly ParkVerdict[] }>("park")`
local function park(request)
  local e = read(request.dlqId)
  if e and e.s == 'other-version' then return { kind = 'not-yours' } end
  if e and (e.s == 'published' or e.s == 'archived' or e.s == 'gone') then return { kind = 'done-before' } end
  if e and e.s == 'open' and e.t ~= call.token and isAtWork(e.l) then return { kind = 'not-yours' } end
  if e and e.s == 'cool' and e.rel == 1 and call.seenAt and e.u >= call.seenAt then return { kind = 'not-yours' } end
  if e and e.s == 'parked' and decidedAgain[request.reason] and not decidedAgain[e.why] then
    put(request.dlqId, e)
    return { kind = 'parked' }
  end
  local k = { s = 'parked', why = request.reason, d = call.drain, h = call.rulesHash, n = request.attempt, x = 1, f = now, p = 0, r = 0, fk = request.failure }
  if e then k.x = e.x k.f = e.f k.p = e.p k.r = e.r k.m = e.m k.un = e.un k.dd = e.dd k.fk = k.fk or e.fk k.ru = e.ru k.sv = e.sv k.ar = e.ar end
  put(request.dlqId, k)
  return { kind = 'parked' }
end

return stamped({ verdicts = verdictsOf(park) })
`;

/**
 * release: lets parked records go on.
 *
 * ARGV: 3 { rel: 1 a person's word | 2 listed again }, 4 dlqIds. Returns: stamp, count of the given ids that are released
 * now. Effects: parked → cool and due now; the series stays, so that a POST in doubt is still known; one attempt is granted
 * by lowering the count by one, once. Kept for the retention: an unanswered POST must not be forgotten before it is begun.
 */
export const releaseScript = ledgerScript<{ count: number }>("release")`
local count, ids = 0, cjson.decode(ARGV[4])
load(ids)
for _, id in ipairs(ids) do
  local e = read(id)
  if e and e.s == 'cool' and e.rel then count = count + 1 end
  if e and e.s == 'parked' then
    put(id, { s = 'cool', u = now, n = math.max(0, e.n - 1), m = e.m, x = e.x, f = e.f, p = e.p, r = e.r, un = e.un, dd = e.dd, sv = e.sv, rel = call.rel })
    count = count + 1
  end
end
return stamped({ count = count })
`;
