import type { LedgerSummary } from "../../ports/ledger.ts";
import { defineLedgerScript } from "./prelude.lua.ts";

/** now: ARGV[4] {}. Returns: the stamp. Effects: sets the epoch if there is none. */
export const nowScript = defineLedgerScript("now", `return stamped({})`);

/**
 * recordLoss: ARGV[4] { window, oldestAt? }. Returns: the stamp. Effects: remembers now as the time of the
 * latest loss, and since when what was lost may have been published; losses that are at most `window` ms
 * apart count as one. Run twice: the same but for the time.
 */
export const recordLossScript = defineLedgerScript(
  "recordLoss",
  `
local before = redis.call('HMGET', metaKey, 'lostAt', 'lostSince')
local since = math.min(now - limits.gateAge, call.oldestAt or now)
if before[1] and now - before[1] <= call.window then since = math.min(since, before[2]) end
redis.call('HSET', metaKey, 'lostAt', now, 'lostSince', since)
return stamped({})
`,
);

/**
 * look: reads entries.
 *
 * ARGV[4]: { dlqIds, areListed }. Returns: array of the stamp and each entry's JSON, or nil if there is none,
 *   in order.
 * Effects: none, unless the records are listed just now. Then published and archived entries remember that.
 *   All but cool (unless released) live on: gone for the life of a tombstone, others for the retention. Not
 *   counted in the sequence: losing it loses nothing.
 */
export const lookScript = defineLedgerScript(
  "look",
  `
local function recordListed(id, e)
  if e.s == 'published' or e.s == 'archived' then
    e.w = now
    put(id, e)
  elseif e.s == 'open' or e.s == 'parked' or e.rel then
    redis.call('PEXPIRE', prefix .. id, limits.retention)
    if e.s == 'parked' then indexParked(id) end
  elseif e.s == 'gone' then
    redis.call('PEXPIRE', prefix .. id, limits.tombstone)
  end
end

local answer = { false }
for i, id in ipairs(call.dlqIds) do
  local e = read(id)
  if e and call.areListed then recordListed(id, e) end
  answer[i + 1] = e and cjson.encode(e) or false
end
wrote = false
answer[1] = stamped({})
return answer
`,
);

/**
 * page: members of an index, oldest first, with their entries.
 *
 * ARGV[4]: { index: open | pending, limit, offset, drain?, unlistedSince? }: of open only unknown outcomes;
 *   drain and unlistedSince narrow to entries of that drain from before it and not listed since. Those of
 *   another version are passed over.
 * Returns: array of the stamp, how many living members were walked (at most 20 times limit), then dlqId and
 *   entry JSON alternating. Effects: members whose entry has expired are dropped from the indexes.
 */
export const pageScript = defineLedgerScript(
  "page",
  `
local index = call.index == 'open' and openKey or pendingKey
local ceiling = '+inf'
if call.index == 'open' then ceiling = '(' .. string.format('%.0f', now - limits.takeover) end

local function wanted(text)
  local e = decode(text)
  if e.s == 'other-version' then return false end
  if not call.unlistedSince then return true end
  return e.d == call.drain and e.at < call.unlistedSince and (e.w or 0) < call.unlistedSince
end

local found, walked, full = {}, 0, false
for _ = 1, 20 do
  local members = redis.call('ZRANGEBYSCORE', index, '-inf', ceiling, 'LIMIT', call.offset + walked, call.limit)
  for _, id in ipairs(members) do
    local text = redis.call('GET', prefix .. id)
    if not text then
      forget(id)
    elseif not full then
      walked = walked + 1
      if wanted(text) then
        found[#found + 1] = id
        found[#found + 1] = text
        full = #found == 2 * call.limit
      end
    end
  end
  if full or #members == 0 then break end
end
local answer = { stamped({}), walked }
for i = 1, #found do answer[i + 2] = found[i] end
return answer
`,
);

/**
 * parked: a part of what is parked, in no order.
 *
 * ARGV[4]: { cursor }: '0' begins. Returns: array of the stamp, the next cursor ('0' at the end), then dlqId
 * and entry JSON alternating.
 * Effects: members whose entry is no longer there, or no longer parked, leave the index; those of another
 * version stay.
 */
export const parkedScript = defineLedgerScript(
  "parked",
  `
local page = redis.call('ZSCAN', parkedKey, call.cursor, 'COUNT', 100)
local answer = { stamped({}), page[1] }
for i = 1, #page[2], 2 do
  local id = page[2][i]
  local text = redis.call('GET', prefix .. id)
  local state = text and decode(text).s
  if state == 'parked' then
    answer[#answer + 1] = id
    answer[#answer + 1] = text
  elseif state ~= 'other-version' then
    redis.call('ZREM', parkedKey, id)
  end
end
return answer
`,
);

/**
 * summary: ARGV[4] {}. Returns: stamp, open, unknown, oldestOpenAt?, pendingDelete, oldestPendingAt?,
 *   failedDeletes, settleGate; the oldest times are by the server's clock. Effects: expired members at the
 *   head of an index are dropped; the time is noted; the ledger may return to the server's time. Run twice:
 *   the same, because a second return waits.
 *
 * A return makes stored times look younger than they are. So it waits until no entry is open, pending, parked
 * or cool (a released POST in doubt is cool), and until the window of a loss is over by both clocks. A worker
 * may still have an old page. So one return is of at most backBy, and the next waits for backEvery: a page
 * that looks fresh was then read less than a tombstone's life ago.
 */
export const summaryScript = defineLedgerScript<LedgerSummary>(
  "summary",
  `
local oldestOpenAt, oldestPendingAt = oldest(openKey), oldest(pendingKey)
local function mayReturn()
  if redis.call('ZCARD', openKey) + redis.call('ZCARD', pendingKey) + redis.call('ZCARD', parkedKey) > 0 then return false end
  local known = redis.call('HMGET', metaKey, 'coolUntil', 'lostAt', 'returnedAt')
  -- Lives end by the server's clock.
  local server = now - ahead
  if server < tonumber(known[1] or 0) or server <= tonumber(known[2] or 0) + limits.horizon then return false end
  return now >= tonumber(known[3] or 0) + limits.backEvery
end
local changes = {}
if ahead > 0 and mayReturn() then
  local step = math.min(ahead, limits.backBy)
  now = now - step
  ahead = ahead - step
  changes = { 'returnedAt', now }
  -- Its age stays, or it would count as an acceptance of just now.
  local acceptedAt = redis.call('HGET', metaKey, 'lastAcceptedAt')
  if acceptedAt then changes = { 'returnedAt', now, 'lastAcceptedAt', acceptedAt - step } end
end
-- The sweep asks every few seconds, so lastNow is that precise even if nothing else is written. A full Redis
-- refuses this write, and the summary goes on without it.
redis.pcall('HSET', metaKey, 'lastNow', now, 'ahead', ahead, unpack(changes))
local function byServer(at)
  return at and at - ahead or cjson.null
end
return stamped({
  open = redis.call('ZCARD', openKey),
  unknown = redis.call('ZCOUNT', openKey, '-inf', '(' .. string.format('%.0f', now - limits.takeover)),
  oldestOpenAt = byServer(oldestOpenAt),
  pendingDelete = redis.call('ZCARD', pendingKey),
  oldestPendingAt = byServer(oldestPendingAt),
  failedDeletes = redis.call('SCARD', failedKey),
  settleGate = settleGateClosed() and 'closed' or 'open',
})
`,
);
