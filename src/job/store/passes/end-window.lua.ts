import { luaScript } from "../../redis/script-runner.ts";
import { passPreludeLua } from "./pass-prelude.lua.ts";

/**
 * Ends a window; the last one closes the pass.
 *
 * ARGV: 1 { passId, windowId, owner?, failed: 0 | 1, isAbandoned, split: [window], tally, maxLeft, counted? [dlqId] (as
 * arrived, of those that other drains list too) }, 2 FailureCounts (JSON). Returns: JSON of a CloseVerdict.
 * Effects: split windows take the window's place. If no window failed, the watermark moves to the pass's end,
 * and a full pass sets the counts. If records were passed over, the same happens, but the outcome is partial
 * and the counts are not exact. If a window failed, the watermark stays and the taken minutes are due again.
 * Run twice: pass-open again while the pass is open, the same pass-closed for the window that closed it.
 *
 * What a full pass has seen replaces the standing counts, as far as what others did meanwhile leaves no doubt.
 * Every other complete pass adds what arrived and takes away what it did. One with a failed window only takes
 * away. Reasons are those of the last full pass, and apart those of the last pass (`met`), and those of what has arrived
 * since the full one (`anew`).
 */
export const endWindowScript = luaScript("passes:endWindow")`${passPreludeLua}
local function passOpen()
  local left = windowsLeft()
  for i = #left, call.maxLeft + 1, -1 do left[i] = nil end
  return cjson.encode({ kind = 'pass-open', left = left })
end

local open = openPass()
if not open then
  local last = row.last
  if last and last.passId == call.passId and last.windowId == call.windowId and isOwner(last.owner) then
    return cjson.encode(last.verdict)
  end
  return cjson.encode({ kind = 'stale' })
end
local text = redis.call('HGET', windowsKey, call.windowId)
if not text then return cjson.encode({ kind = 'stale' }) end
if text == 'ended' then return passOpen() end
if not isOwner(ownerOf(open)) then return cjson.encode({ kind = 'stale' }) end

redis.call('HSET', windowsKey, call.windowId, 'ended')
if open.owners then open.owners[call.windowId] = nil end
handCareOn(open, call.split)
local before = open.soFar and open.soFar[call.windowId]
if call.isAbandoned and before then call.tally = toActs(before) end
countPublished(call.tally.republished - (before and before.republished or 0))
if before then open.soFar[call.windowId] = nil end
open.left = open.left - 1
for _, window in ipairs(call.split) do
  if redis.call('HSETNX', windowsKey, window.windowId, cjson.encode(window)) == 1 then open.left = open.left + 1 end
end
open.failed = open.failed + call.failed
open.progressAt = now

open.tally = open.tally or {}
addTally(open.tally, call.tally, call.windowId)
local tally = open.tally
if #call.split > 0 then keepArrived() end
local written = call.isAbandoned and readFound(call.windowId)
redis.call('HDEL', foundKey, call.windowId)
local failures = written or cjson.decode(ARGV[2])
if #call.split > 0 or isRecalled(call.windowId) then
  addFoundActs(call.windowId, failures)
else
  addFound('sum', failures)
  local isRead, window = pcall(cjson.decode, text)
  if isRead then countTold(window.from, window.to, call.counted) end
end
if open.left > 0 then
  save()
  return passOpen()
end

countTold(0, math.huge, nil)
local isComplete, isFull = open.failed == 0, open.pass.kind == 'full'
local counts = row.counts or { due = 0, held = 0, parked = 0, inDoubt = 0, reasons = { held = {}, parked = {} } }
if isComplete then
  row.watermark = open.pass.to
  row.lastSuccessAt = now
  if isFull then
    row.fullStartedAt = open.pass.startedAt
    row.lastFullAt = now
    row.hash = open.pass.documentHash
    row.counted = { as = open.pass.countingKey, mode = open.pass.mode }
    counts = {
      due = tally.due, held = tally.held, parked = tally.parked, inDoubt = tally.inDoubt,
      oldestRecordAt = tally.oldestRecordAt, reasons = tally.reasons,
    }
  else
    -- In plan mode a pass meets again what an earlier one left due.
    counts.due = open.pass.mode == 'plan' and math.max(counts.due, tally.due) or tally.due
    counts.inDoubt = math.max(tally.inDoubt, counts.inDoubt)
    counts.oldestRecordAt = earlier(counts.oldestRecordAt, tally.oldestRecordAt)
    counts.anew = counts.anew or {}
    for reason, count in pairs(tally.reasons.anew or {}) do counts.anew[reason] = (counts.anew[reason] or 0) + count end
  end
  -- One that lists nothing has met nothing else: they wait for what they were last met with.
  if isFull or tally.listed > 0 then counts.met = tally.reasons end
else
  giveBack()
  keepArrived()
end
local found, acts = readFound('sum') or {}, readFound('acts') or {}
addStanding(isComplete and found or toPassActs(found))
addStanding(toFailureActs(acts))
if isComplete then settleArrived() end
if isComplete and isFull then
  row.isCounted = true
  recount(found, acts)
end
local isWhole = isComplete and tally.passedOver == 0
-- If a cursor is a position, deletes have moved records to before it. A full pass without such pages meets them.
local mayHaveSkipped = (tally.pagesBehindDeletes or 0) > 0
if mayHaveSkipped then row.mayHaveSkipped = 1 elseif isWhole and isFull then row.mayHaveSkipped = nil end
if isComplete and not row.mayHaveSkipped then endBacklog() end
-- Records of a recalled window may have left since they were counted.
counts.exact = isWhole and isFull and not open.recalled and not mayHaveSkipped
row.counts = counts
row.lastOutcome = isWhole and 'complete' or 'partial'
local verdict = {
  kind = 'pass-closed', pass = open.pass, outcome = row.lastOutcome, tally = tally, durationMs = now - open.pass.startedAt,
}
row.last = { passId = call.passId, windowId = call.windowId, owner = call.owner, verdict = verdict }
dropOpen()
save()
return cjson.encode(verdict)
`;
