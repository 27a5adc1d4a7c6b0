import { serverTimeLua } from "../server-time.lua.ts";
import { careLua } from "./care.lua.ts";
import { failureCountsLua } from "./failure-counts.lua.ts";

/**
 * What every script of the pass book starts with.
 *
 * KEYS, all of one drain: 1 row (JSON string), 2 windows of the open pass (hash: windowId → JSON, or
 * `ended`), 3 due (zset: start of a minute of entry, Unix ms, by the earliest time something in it becomes
 * due), 4 taken (zset: what the open pass took from due), 5 found (hash of the open pass: windowId, \`sum\` or
 * \`acts\` → JSON of FailureCounts: of a window at work, of those that have ended, of recalled windows and other work
 * since), 6 standing (hash: id of a kind of failure → JSON { w, q, n, p, f, g?, l?, m?, d?, h?, x?, o?, s?, t?, e?, b? }: in the DLQ,
 * parked of those; ever arrived, published, failed again, discarded; last arrival, most arrivals in an hour, counts by rule; most
 * ever shown as arrived, if that is more; what expires soon by hour, entry of the oldest, and of the first since there
 * was none; last publish or drop, entry of the first since it was resolved; failed again of
 * other kinds, by id), 7 arrivals (hash: id → JSON of arrivals by hour). An id after `~`: those of the kind that
 * another drain counts for the source. Of the source: 8 what has ended workers (JSON { unworkable? [dlqId], unlistable? [{ at, since }] }).
 * Of the drain: 9 told (hash of the open pass: dlqId that another drain took of a window at work → its expiry and ids).
 * ARGV: 1 the call (JSON).
 *
 * The row: open? { pass, progressAt, left, failed, recalled? (windows so far), forced?, tally?, soFar? { windowId:
 * tally }, owners? { windowId: token of the worker that took it last }, lostAt? (a worker was last found to be lost),
 * abandoned?, care? { windowId: { lost (workers in a row that did nothing before they were lost), marked? [dlqId] (under work), isLong?, isListing?,
 * listings? (lost in a row while they listed) } }, suspects? { dlqId: how many were under work with it when a worker
 * was lost }, alone? { id, lost, long } (the last that was alone then, and how often in a row) }, forced?,
 * mayHaveSkipped? (1: no full pass since has listed everything without a delete before its cursors), watermark?,
 * actIds? (of the last counted acts), pace? { slot of 10 s: published }, backlog? { at, published }, arrived? (ever,
 * after the first count), arrivedAgain? (of these, those that another drain counts), arrivedShown?, arrivedAgainShown?
 * (most ever shown, as `h`), isCounted? (standing holds everything up to the
 * watermark), fullStartedAt?, hash?, counted? { as, mode } (of the last complete full pass), lastFullAt?, lastSuccessAt?,
 * lastOutcome?, counts?, last? { passId, windowId, owner?, verdict }.
 */
export const passPreludeLua = `${serverTimeLua}
local rowKey, windowsKey, dueKey, takenKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local foundKey, standingKey, arrivalsKey, knownKey, toldKey = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local call = cjson.decode(ARGV[1])
local rowText = redis.call('GET', rowKey)
local row = cjson.decode(rowText or '{}')

local function save() redis.call('SET', rowKey, cjson.encode(row)) end

local function isRecalled(windowId) return string.sub(windowId, 1, 1) == 'r' end

-- Recalled windows first, then the oldest.
local function windowsLeft()
  local windows = {}
  for _, text in ipairs(redis.call('HVALS', windowsKey)) do
    if text ~= 'ended' then windows[#windows + 1] = cjson.decode(text) end
  end
  table.sort(windows, function(a, b)
    if isRecalled(a.windowId) ~= isRecalled(b.windowId) then return isRecalled(a.windowId) end
    if a.from ~= b.from then return a.from < b.from end
    return a.windowId < b.windowId
  end)
  return windows
end

local function openPass()
  return row.open and row.open.pass.passId == call.passId and row.open or nil
end

-- Who gives a window up that nobody works knows no token.
local function isOwner(owner) return not owner or not call.owner or owner == call.owner end

${careLua}
local function addDue(minute, dueAt)
  local known = redis.call('ZSCORE', dueKey, minute)
  if not known or dueAt < tonumber(known) then redis.call('ZADD', dueKey, dueAt, minute) end
end

local function earlier(a, b)
  if a and b then return math.min(a, b) end
  return a or b
end

local leftCounts = { due = true, held = true, parked = true, inDoubt = true, reasons = true }
-- Another window of the pass lists the records of a recalled one too.
local function addTally(sum, tally, windowId)
  for name, value in pairs(tally) do
    if isRecalled(windowId) and leftCounts[name] then
      sum[name] = sum[name] or (name == 'reasons' and { due = {}, held = {}, parked = {} } or 0)
    elseif name == 'oldestRecordAt' then
      sum[name] = earlier(sum[name], value)
    elseif name == 'reasons' then
      sum[name] = sum[name] or { due = {}, held = {}, parked = {} }
      for kind, counts in pairs(value) do
        sum[name][kind] = sum[name][kind] or {}
        for reason, count in pairs(counts) do sum[name][kind][reason] = (sum[name][kind][reason] or 0) + count end
      end
    else
      sum[name] = (sum[name] or 0) + value
    end
  end
end

-- What a worker did stays done when another one begins its window again, or nobody does.
local function toActs(tally)
  return {
    listed = tally.deleted, republished = tally.republished, deduplicated = tally.deduplicated, deleted = tally.deleted,
    comeBacks = tally.comeBacks, pages = tally.pages,
  }
end

${failureCountsLua}

local slotMs, paceSlots = 10000, 13

-- How many wait, and how many are parked.
local function countStanding()
  local all, waiting, parked = allStanding(), 0, 0
  for i = 1, #all, 2 do
    if not isAgain(all[i]) then
      local it = cjson.decode(all[i + 1])
      local q = math.max(it.q, 0)
      waiting, parked = waiting + math.max(0, it.w - q), parked + q
    end
  end
  return waiting, parked
end

-- From the pass that found something until one leaves nothing that waits.
local function endBacklog()
  if countStanding() == 0 then row.backlog = nil end
end

-- Little seems to be left: ten calls show whether that is so.
local maxLeftToConfirm = 1000
local function isToConfirm()
  if not row.mayHaveSkipped then return false end
  local waiting, parked = countStanding()
  return waiting + parked <= maxLeftToConfirm
end

-- How many were published in each of the last slots of 10 s.
local function countPublished(count)
  if count <= 0 then return end
  local slot, pace = math.floor(now / slotMs), {}
  for one, published in pairs(row.pace or {}) do
    if tonumber(one) > slot - paceSlots then pace[one] = published end
  end
  local name = string.format('%.0f', slot)
  pace[name] = (pace[name] or 0) + count
  row.pace = pace
  if row.backlog then row.backlog.published = row.backlog.published + count end
end

-- The open pass leaves nothing behind that was counted for it alone.
local function dropOpen()
  row.open = nil
  redis.call('DEL', windowsKey, takenKey, foundKey, toldKey)
end

-- For an open pass that closes incomplete: its minutes are due again, and a forced full pass is still owed.
local function giveBack()
  local taken = redis.call('ZRANGE', takenKey, 0, -1, 'WITHSCORES')
  for i = 1, #taken, 2 do addDue(taken[i], tonumber(taken[i + 1])) end
  if row.open.forced then row.forced = 1 end
end
`;
