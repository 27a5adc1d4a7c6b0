import { defineScript } from "../../redis/script-runner.ts";
import { passPreludeLua } from "./passes.lua.ts";

/**
 * endWindow: ends a window; the last one closes the pass.
 *
 * ARGV[1]: { passId, windowId, failed: 0 | 1, split: [window], tally, maxLeft }. Returns: JSON of a
 * CloseVerdict.
 * Effects: split windows take the window's place. If no window failed, the watermark moves to the pass's end,
 * and a full pass sets the counts. If records were passed over, the same happens, but the outcome is partial
 * and the counts are not exact. If a window failed, the watermark stays and the taken minutes are due again.
 * Run twice: pass-open again while the pass is open, the same pass-closed for the window that closed it.
 *
 * A complete `new` pass sees only some records, so the other counts are carried forward, each at least what
 * the pass saw. Due: what this pass left due; in plan mode the larger of that and the known count, because it
 * sees the same records again. Held: the known count less what was republished. Parked and in doubt: the
 * known counts. A record that leaves in another way is counted until the next full pass. Reasons of due are
 * this pass's. Reasons of held and parked are those that this pass met, then the known ones, until they add
 * up.
 */
export const endWindowScript = defineScript(
  "passes:endWindow",
  `${passPreludeLua}
local function passOpen()
  local left = windowsLeft()
  for i = #left, call.maxLeft + 1, -1 do left[i] = nil end
  return cjson.encode({ kind = 'pass-open', left = left })
end

local open = openPass()
if not open then
  if row.last and row.last.passId == call.passId and row.last.windowId == call.windowId then
    return cjson.encode(row.last.verdict)
  end
  return cjson.encode({ kind = 'stale' })
end
local text = redis.call('HGET', windowsKey, call.windowId)
if not text then return cjson.encode({ kind = 'stale' }) end
if text == 'ended' then return passOpen() end

redis.call('HSET', windowsKey, call.windowId, 'ended')
if open.soFar then open.soFar[call.windowId] = nil end
open.left = open.left - 1
for _, window in ipairs(call.split) do
  if redis.call('HSETNX', windowsKey, window.windowId, cjson.encode(window)) == 1 then open.left = open.left + 1 end
end
open.failed = open.failed + call.failed
open.progressAt = now

local stands = { due = true, held = true, parked = true, inDoubt = true, reasons = true }
local function earlier(a, b)
  if a and b then return math.min(a, b) end
  return a or b
end
local tally = open.tally or {}
for name, value in pairs(call.tally) do
  if isRecalled(call.windowId) and stands[name] then
    -- Another window of this pass lists these records too.
    tally[name] = tally[name] or (name == 'reasons' and { due = {}, held = {}, parked = {} } or 0)
  elseif name == 'oldestRecordAt' then
    tally[name] = earlier(tally[name], value)
  elseif name == 'reasons' then
    tally[name] = tally[name] or { due = {}, held = {}, parked = {} }
    for kind, counts in pairs(value) do
      for reason, count in pairs(counts) do tally[name][kind][reason] = (tally[name][kind][reason] or 0) + count end
    end
  else
    tally[name] = (tally[name] or 0) + value
  end
end
open.tally = tally
if open.left > 0 then
  save()
  return passOpen()
end

-- Reasons for \`all\` records: those the pass met, then the known ones, the most frequent first.
local function carryReasons(known, met, all)
  local carried, left, others = {}, all, {}
  for reason, count in pairs(met) do
    carried[reason] = count
    left = left - count
  end
  for reason, count in pairs(known) do
    count = count - (met[reason] or 0)
    if count > 0 then others[#others + 1] = { reason = reason, count = count } end
  end
  table.sort(others, function(a, b)
    if a.count ~= b.count then return a.count > b.count end
    return a.reason < b.reason
  end)
  for _, one in ipairs(others) do
    local taken = math.min(one.count, left)
    if taken <= 0 then break end
    carried[one.reason] = (carried[one.reason] or 0) + taken
    left = left - taken
  end
  return carried
end

local isComplete, isFull = open.failed == 0, open.pass.kind == 'full'
local counts = row.counts or { due = 0, held = 0, parked = 0, inDoubt = 0, reasons = { held = {}, parked = {} } }
if isComplete then
  row.watermark = open.pass.to
  row.lastSuccessAt = now
  if isFull then
    row.fullStartedAt = open.pass.startedAt
    row.lastFullAt = now
    row.hash = open.pass.documentHash
    row.mode = open.pass.mode
    counts = {
      due = tally.due, held = tally.held, parked = tally.parked, inDoubt = tally.inDoubt,
      oldestRecordAt = tally.oldestRecordAt, reasons = tally.reasons,
    }
  else
    counts.due = open.pass.mode == 'plan' and math.max(counts.due, tally.due) or tally.due
    counts.held = math.max(tally.held, counts.held - tally.republished)
    counts.parked = math.max(tally.parked, counts.parked)
    counts.inDoubt = math.max(tally.inDoubt, counts.inDoubt)
    counts.oldestRecordAt = earlier(counts.oldestRecordAt, tally.oldestRecordAt)
    local known, met = counts.reasons, tally.reasons
    counts.reasons = {
      due = met.due, held = carryReasons(known.held, met.held, counts.held),
      parked = carryReasons(known.parked, met.parked, counts.parked),
    }
  end
else
  giveBack()
end
local isWhole = isComplete and tally.passedOver == 0
-- Records of a recalled window may have left since they were counted.
counts.exact = isWhole and isFull and not open.recalled
row.counts = counts
row.lastOutcome = isWhole and 'complete' or 'partial'
local verdict = {
  kind = 'pass-closed', pass = open.pass, outcome = row.lastOutcome, tally = tally, durationMs = now - open.pass.startedAt,
}
row.last = { passId = call.passId, windowId = call.windowId, verdict = verdict }
row.open = nil
redis.call('DEL', windowsKey, takenKey)
save()
return cjson.encode(verdict)
`,
);
