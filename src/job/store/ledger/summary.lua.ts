import type { LedgerSummary } from "../../contracts/ledger.ts";
import { ledgerScript } from "./prelude.lua.ts";

/**
 * summary: ARGV: 3 {}, 4 ids of rules. Returns: stamp, a LedgerSummary with counts (of each rule, published and failed
 * again) for its rules; the oldest times are by the server's clock. Effects: expired members at the head of an index are
 * dropped; some gone batches that are due are removed; the time is recorded; the ledger may return to the server's time.
 * Run twice: the same, because a second return waits.
 *
 * If the ledger's time is ahead of the server's, this script may set it back. Stored times then look younger
 * than they are. So it waits until no entry is open, pending, parked or cool (a released POST in doubt is
 * cool). It also waits until a horizon has passed since the last loss, by both clocks. A worker may still
 * have an old page. So one step back is at most backBy, and the next comes backEvery later. Then a page that
 * looks fresh was listed less than a tombstone's life ago.
 */
export const summaryScript = ledgerScript<
  Omit<LedgerSummary, "rules"> & { readonly counts?: readonly (readonly [string | false, string | false])[] }
>("summary")`
-- An idle ledger asks no more of its indexes.
local isIdle = redis.call('EXISTS', openKey, openBatchesKey, pendingKey, pendingBatchesKey, failedKey) == 0
local oldestOpenAt, oldestPendingAt
if not isIdle then oldestOpenAt, oldestPendingAt = oldest(openKey, openBatchesKey), oldest(pendingKey, pendingBatchesKey) end
removeGone(30)
local function mayReturn()
  if redis.call('ZCARD', openKey) + redis.call('ZCARD', pendingKey) + redis.call('ZCARD', parkedKey) > 0 then return false end
  if redis.call('ZCARD', openBatchesKey) + redis.call('ZCARD', pendingBatchesKey) > 0 then return false end
  if server < tonumber(meta.coolUntil or 0) or server <= tonumber(meta.lostAt or 0) + limits.horizon then return false end
  return now >= tonumber(redis.call('HGET', metaKey, 'returnedAt') or 0) + limits.backEvery
end
local changes = {}
if ahead > 0 and mayReturn() then
  local step = math.min(ahead, limits.backBy)
  now = now - step
  ahead = ahead - step
  changes = { 'returnedAt', now }
  -- Its age stays, or it would count as an acceptance of just now.
  if meta.lastAcceptedAt then changes = { 'returnedAt', now, 'lastAcceptedAt', meta.lastAcceptedAt - step } end
end
-- Each replica asks every few seconds, so lastNow is that precise even if nothing else is written. A full Redis
-- refuses this write, and the summary goes on without it.
redis.pcall('HSET', metaKey, 'lastNow', now, 'ahead', ahead, unpack(changes))
local function byServer(at)
  return at and at - ahead or cjson.null
end
local failed = isIdle and 0 or redis.call('SCARD', failedKey)
-- Without an oldest one an index is empty.
local isOpen, isPending = oldestOpenAt ~= nil, oldestPendingAt ~= nil
local unknownBefore = '(' .. string.format('%.0f', now - limits.takeover)
local counts = {}
for i, rule in ipairs(cjson.decode(ARGV[4])) do counts[i] = redis.call('HMGET', rulesKey, rule .. 's', rule .. 'f') end
return stamped({
  counts = #counts > 0 and counts or nil,
  open = isOpen and redis.call('ZCARD', openKey) + countBatched(openBatchesKey, '+inf') or 0,
  unknown = isOpen and redis.call('ZCOUNT', openKey, '-inf', unknownBefore) + countBatched(openBatchesKey, unknownBefore) or 0,
  oldestOpenAt = byServer(oldestOpenAt),
  pendingDelete = isPending and redis.call('ZCARD', pendingKey) + countBatched(pendingBatchesKey, '+inf') or 0,
  oldestPendingAt = byServer(oldestPendingAt),
  failedDeletes = failed,
  gone = tonumber(meta.gone or 0),
  settleGate = (isPending or failed > 0) and settleGateClosed() and 'closed' or 'open',
})
`;
