import { defineScript } from "../../redis/script-runner.ts";
import { serverTimeLua } from "../server-time.lua.ts";
import { failureCountsLua } from "./failure-counts.lua.ts";

/**
 * What every script of the pass book starts with.
 *
 * KEYS, all of one drain: 1 row (JSON string), 2 windows of the open pass (hash: windowId → JSON, or
 * `ended`), 3 due (zset: start of a minute of entry, Unix ms, by the earliest time something in it becomes
 * due), 4 taken (zset: what the open pass took from due), 5 found (hash of the open pass: windowId, \`sum\` or
 * \`acts\` → JSON of FailureCounts: of a window at work, of those that have ended, of recalled windows and other work since), 6
 * standing (hash: id of a kind of failure → JSON { w, q, n, p, f, l?, m?, d?, h? }: in the DLQ, parked of those;
 * ever arrived, published, failed again; last arrival, most arrivals in an hour, counts by rule; most ever shown
 * as arrived, if that is more), 7 arrivals (hash: id → JSON of arrivals by hour).
 * ARGV: 1 the call (JSON).
 *
 * The row: open? { pass, progressAt, left, failed, recalled? (windows so far), forced?, tally?, soFar? {
 * windowId: tally }, owners? { windowId: token of the worker that took it last }, lostAt? (a worker was last found to be lost), counted (windows that were
 * ended with counts; an older build ends them without), abandoned?, care? { windowId: { lost (workers in a row that
 * did nothing before they were lost), marked? [dlqId] (under work), isLong?, isListing?, listings? (lost in a row
 * while they listed) } }, suspects? { dlqId: how many were under work with it when a worker was lost }, alone? { id,
 * lost, long } (the last that was alone then, and how often in a row) }, unworkable? [dlqId], unlistable? [{ at, since }],
 * forced?, mayHaveSkipped? (1: no full pass since has listed everything without a delete before its cursors),
 * watermark?, actIds? (of the last counted acts), pace? { slot of 10 s: published },
 * backlog? { at, published }, arrived? (ever, after the first count), arrivedShown? (most ever shown, as `h`),
 * isCounted? (standing holds everything up to the watermark), fullStartedAt?, hash?, mode? (of the last complete
 * full pass), lastFullAt?, lastSuccessAt?, lastOutcome?, counts?, last? { passId, windowId, owner?, verdict }.
 */
export const passPreludeLua = `${serverTimeLua}
local rowKey, windowsKey, dueKey, takenKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local foundKey, standingKey, arrivalsKey = KEYS[5], KEYS[6], KEYS[7]
local call = cjson.decode(ARGV[1])
local row = cjson.decode(redis.call('GET', rowKey) or '{}')

local function save()
  redis.call('SET', rowKey, cjson.encode(row))
end

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

-- An older build opened it: it knows no counts, and leaves those of the pass before.
local function adoptOpen()
  local open = row.open
  if not open or open.counted then return end
  redis.call('DEL', foundKey)
  open.counted = 0
  open.pass.countedTo = row.isCounted and row.watermark or open.pass.kind == 'full' and 0 or open.pass.to
end

local function openPass()
  if not row.open or row.open.pass.passId ~= call.passId then return nil end
  adoptOpen()
  return row.open
end

-- An older build writes no token, and knows none.
local function isOwner(owner) return not owner or not call.owner or owner == call.owner end

local function ownerOf(open) return open.owners and open.owners[call.windowId] end

local function careOf(open) return open.care and open.care[call.windowId] end

local carefulFrom, maxSuspects, maxUnworkable = 2, 200, 100

-- The worker that took the window last has neither ended nor left it. Of those that did something, many may have been
-- killed from outside.
local function noteLost(open)
  open.lostAt = now
  local did = open.soFar and open.soFar[call.windowId]
  open.care = open.care or {}
  local care = open.care[call.windowId] or { lost = 0 }
  if care.lost < carefulFrom and did and did.republished + did.deleted > 0 then
    open.care[call.windowId] = nil
    return
  end
  open.care[call.windowId] = care
  care.lost = care.lost + 1
  local marked = care.marked
  if marked then
    local suspects, count = open.suspects or {}, #marked
    for _ in pairs(suspects) do count = count + 1 end
    if count > maxSuspects then suspects = {} end
    for _, id in ipairs(marked) do suspects[id] = #marked end
    open.suspects = suspects
    -- If one is lost without it, its own losses may have the same reason.
    local before = open.alone and open.alone.id == marked[1] and open.alone or { id = marked[1], lost = 0, long = 0 }
    local kind = care.isLong and 'long' or 'lost'
    before[kind] = before[kind] + 1
    open.alone = #marked == 1 and before or nil
  elseif care.isListing then
    care.listings = (care.listings or 0) + 1
  end
  care.marked, care.isLong, care.isListing = nil, nil, nil
end

-- For the worker that takes it, which begins with a listing.
local function careFor(open)
  local care = careOf(open)
  if not care or care.lost < carefulFrom then return nil end
  care.isListing = true
  return { suspects = open.suspects or {}, alone = open.alone, listings = care.listings or 0 }
end

-- The parts of a window begin as carefully.
local function handCareOn(open, parts)
  local care = careOf(open)
  if not care then return end
  open.care[call.windowId] = nil
  if care.lost < carefulFrom then return end
  for _, window in ipairs(parts) do
    open.care[window.windowId] = { lost = care.lost, listings = care.listings and 1 }
  end
end

local unlistableForMs = 86400000
local function unlistable()
  local moments = {}
  for _, one in ipairs(row.unlistable or {}) do
    if now - one.since < unlistableForMs then moments[#moments + 1] = one end
  end
  return moments
end

local function addUnworkable(ids)
  local all = row.unworkable or {}
  for _, id in ipairs(ids) do
    local isKnown = false
    for _, known in ipairs(all) do isKnown = isKnown or known == id end
    if not isKnown then all[#all + 1] = id end
    if #all > maxUnworkable then table.remove(all, 1) end
  end
  if #all > 0 then row.unworkable = all end
end

local function addDue(minute, dueAt)
  local known = redis.call('ZSCORE', dueKey, minute)
  if not known or dueAt < tonumber(known) then redis.call('ZADD', dueKey, dueAt, minute) end
end

local function earlier(a, b)
  if a and b then return math.min(a, b) end
  return a or b
end

local leftCounts = {
  due = true, held = true, parked = true, inDoubt = true, reasons = true, expiringInDay = true,
}

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
  local all, waiting, parked = redis.call('HGETALL', standingKey), 0, 0
  for i = 2, #all, 2 do
    local it = cjson.decode(all[i])
    local q = math.max(it.q, 0)
    waiting, parked = waiting + math.max(0, it.w - q), parked + q
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
  redis.call('DEL', windowsKey, takenKey, foundKey)
end

-- For an open pass that closes incomplete: its minutes are due again, and a forced full pass is still owed.
local function giveBack()
  local taken = redis.call('ZRANGE', takenKey, 0, -1, 'WITHSCORES')
  for i = 1, #taken, 2 do addDue(taken[i], tonumber(taken[i + 1])) end
  if row.open.forced then row.forced = 1 end
end
`;

/**
 * open: opens a pass by compare-and-set.
 *
 * ARGV[1]: an OpenRequest. Returns: JSON { kind opened, pass, windows, abandoned? } or { kind busy, passId,
 * windows, abandoned? }.
 * Effects: an open pass without progress for abandonAfterMs is closed as abandoned, and so is one whose windows
 * Redis has lost: then a full pass follows. The pass takes the due minutes.
 * Run twice: the pass that is open under this passId is answered again.
 */
export const openScript = defineScript(
  "passes:open",
  `${passPreludeLua}
-- More windows than this cost more calls than listing everything between them.
local maxDueWindows = 50

local function opened()
  return cjson.encode({ kind = 'opened', pass = row.open.pass, windows = windowsLeft(), abandoned = row.open.abandoned })
end

adoptOpen()
-- Redis kept the row and lost windows, as by a restart that read only a part of its file. Nobody could end the pass.
local left = row.open and windowsLeft()
local hasLostWindows = left and #left < row.open.left
if openPass() and not hasLostWindows then return opened() end
local abandoned = nil
if row.open then
  -- Progress in the future was made before the server's clock was set back. Its age is unknown.
  local idleMs = now - row.open.progressAt
  if not hasLostWindows and idleMs > -1000 and idleMs <= call.abandonAfterMs then
    return cjson.encode({ kind = 'busy', passId = row.open.pass.passId, windows = left })
  end
  if hasLostWindows then row.forced = 1 end
  local tally = row.open.tally or {}
  for _, one in pairs(row.open.soFar or {}) do addTally(tally, toActs(one), 'w') end
  abandoned = { pass = row.open.pass, tally = tally, durationMs = math.max(0, now - row.open.pass.startedAt) }
  keepArrived()
  local found = redis.call('HGETALL', foundKey)
  for i = 1, #found, 2 do addStanding(toFailureActs(cjson.decode(found[i + 1]))) end
  giveBack()
  row.lastOutcome = 'abandoned'
end

local isFull = row.forced or isToConfirm() or not call.mayBeNew or not row.isCounted or not row.fullStartedAt or not row.watermark
  or now - row.fullStartedAt >= call.fullEveryMs or row.fullStartedAt > now + 1000 or row.hash ~= call.documentHash or row.mode ~= call.mode
local from = call.fullFrom
if not isFull then from = math.min(call.to, row.watermark - call.overlapMs) end

redis.call('DEL', windowsKey, takenKey, foundKey)
local minutes = {}
local due = redis.call('ZRANGEBYSCORE', dueKey, '-inf', call.to, 'WITHSCORES')
for i = 1, #due, 2 do
  redis.call('ZADD', takenKey, due[i + 1], due[i])
  redis.call('ZREM', dueKey, due[i])
  minutes[#minutes + 1] = tonumber(due[i])
end
table.sort(minutes)

local windows = { { from = from, to = call.to } }
if not isFull then
  local older = {}
  for _, minute in ipairs(minutes) do
    if minute < from then
      local to = math.min(minute + 59999, from - 1)
      local previous = older[#older]
      if previous and previous.to + 1 == minute then
        previous.to = to
      else
        older[#older + 1] = { from = minute, to = to }
      end
    end
  end
  if #older > maxDueWindows then older = { { from = older[1].from, to = older[#older].to } } end
  for _, window in ipairs(older) do windows[#windows + 1] = window end
end
for i, window in ipairs(windows) do
  window.windowId = 'w' .. i
  window.depth = 0
  redis.call('HSET', windowsKey, window.windowId, cjson.encode(window))
end

row.open = {
  pass = {
    passId = call.passId, drain = call.drain, source = call.source, kind = isFull and 'full' or 'new', mode = call.mode,
    documentHash = call.documentHash, from = from, to = call.to, startedAt = now,
    countedTo = row.isCounted and row.watermark or 0,
  },
  progressAt = now, left = #windows, failed = 0, forced = row.forced, abandoned = abandoned,
  counted = 0,
}
row.forced = nil
row.backlog = row.backlog or { at = now, published = 0 }
save()
return opened()
`,
);

/**
 * takeWindow: ARGV[1] { passId, windowId, owner?, hasStalled? }. Returns: JSON { pass, window, rows, left, care?,
 * unworkable?, unlistable?, workerLostAt? }, or nil if the pass is closed or the window has ended. Effects: counts as progress, and the window is this owner's.
 * Of an earlier worker's counts, what it did is added to those of the pass. If that worker has stalled and not left, it was lost.
 * Run twice: the same, so the same owner is never lost to itself.
 */
export const takeWindowScript = defineScript(
  "passes:takeWindow",
  `${passPreludeLua}
local open = openPass()
local text = open and redis.call('HGET', windowsKey, call.windowId)
if not text or text == 'ended' then return false end
open.progressAt = now
open.owners = open.owners or {}
local taker = ownerOf(open)
if taker and taker ~= call.owner and call.hasStalled then noteLost(open) end
open.owners[call.windowId] = call.owner
local before = open.soFar and open.soFar[call.windowId]
if before then
  open.tally = open.tally or {}
  addTally(open.tally, toActs(before), call.windowId)
  open.soFar[call.windowId] = nil
end
local found = readFound(call.windowId)
if found then
  keepArrived()
  addFoundActs(call.windowId, found)
  redis.call('HDEL', foundKey, call.windowId)
end
local care, moments = careFor(open), {}
for i, one in ipairs(unlistable()) do moments[i] = one.at end
save()
return cjson.encode({
  pass = open.pass, window = cjson.decode(text), rows = redis.call('HLEN', windowsKey), left = open.left,
  care = care, unworkable = row.unworkable, unlistable = #moments > 0 and moments or nil,
  workerLostAt = open.lostAt,
})
`,
);

/**
 * progress: ARGV: 1 { passId, windowId, owner?, due: [{ minute, dueAt }], soFar }, 2 FailureCounts (JSON).
 * Returns: how many windows of the pass have not ended, nil if it is closed, or "taken-over" (JSON) if the window
 * has another owner or has ended. Effects: each minute is due at the earliest time known, whatever is returned. An
 * open pass makes progress, and keeps both until the window ends, unless it was taken over.
 */
export const progressScript = defineScript(
  "passes:progress",
  `${passPreludeLua}
for _, one in ipairs(call.due) do addDue(string.format('%.0f', one.minute), one.dueAt) end
local open = openPass()
if open then
  local isEnded = (redis.call('HGET', windowsKey, call.windowId) or 'ended') == 'ended'
  if not isOwner(ownerOf(open)) or (isEnded and call.owner) then return cjson.encode('taken-over') end
  open.progressAt = now
  if not isEnded then
    open.soFar = open.soFar or {}
    local before = open.soFar[call.windowId]
    countPublished(call.soFar.republished - (before and before.republished or 0))
    open.soFar[call.windowId] = call.soFar
    if ARGV[2] then redis.call('HSET', foundKey, call.windowId, ARGV[2]) end
  end
  save()
  return cjson.encode(open.left)
end
return false
`,
);

/**
 * recall: ARGV[1] { minutes }. Returns: nil. Effects: an open pass gets one more window for each minute in
 * its reach, and the minute counts as taken from due. Other minutes are due for the next pass. Run twice: a
 * minute that is still to be listed is not added again.
 */
export const recallScript = defineScript(
  "passes:recall",
  `${passPreludeLua}
local open, waiting = row.open, {}
for _, window in ipairs(open and windowsLeft() or {}) do
  if isRecalled(window.windowId) then waiting[window.from] = true end
end
for _, minute in ipairs(call.minutes) do
  local name = string.format('%.0f', minute)
  if waiting[minute] then
    -- It was recalled before, and is still to be listed.
  elseif open and minute <= open.pass.to then
    waiting[minute] = true
    open.recalled = (open.recalled or 0) + 1
    open.left = open.left + 1
    local window = {
      windowId = 'r' .. open.recalled, from = minute, to = math.min(minute + 59999, open.pass.to), depth = 0,
    }
    redis.call('HSET', windowsKey, window.windowId, cjson.encode(window))
    redis.call('ZADD', takenKey, 0, name)
  else
    addDue(name, 0)
  end
end
if open then save() end
return false
`,
);

/** facts: ARGV[1] {}. Returns: JSON { row, standing, found }, hashes as pairs; nil when there never was a pass. */
export const factsScript = defineScript(
  "passes:facts",
  `${passPreludeLua}
if not redis.call('GET', rowKey) then return false end
return cjson.encode({ row = row, standing = redis.call('HGETALL', standingKey), found = redis.call('HGETALL', foundKey) })
`,
);

/** arrivals: ARGV[1] {}. Returns: JSON { arrivals, found, now }, hashes as pairs. */
export const arrivalsScript = defineScript(
  "passes:arrivals",
  `${passPreludeLua}
return cjson.encode({ arrivals = redis.call('HGETALL', arrivalsKey), found = redis.call('HGETALL', foundKey), now = now })
`,
);

/**
 * countActs: ARGV[1] { id, failures: FailureCounts }. Returns: nil. Effects: counts them with an open pass, else
 * at once. Run twice: counted once, as long as the id is among the last of the drain.
 */
export const countActsScript = defineScript(
  "passes:countActs",
  `${passPreludeLua}
local maxIds = 16
local ids = row.actIds or {}
for _, id in ipairs(ids) do
  if id == call.id then return false end
end
ids[#ids + 1] = call.id
if #ids > maxIds then table.remove(ids, 1) end
row.actIds = ids
local published = 0
for _, count in pairs(call.failures) do published = published + (count.published or 0) end
countPublished(published)
adoptOpen()
save()
if row.open then addFound('acts', toFailureActs(call.failures)) else addStanding(toFailureActs(call.failures)) end
return false
`,
);

/**
 * forceFull: ARGV[1] {}. Returns: nil. Effects: the next pass to open is full; one that is open now does not
 * count.
 */
export const forceFullScript = defineScript(
  "passes:forceFull",
  `${passPreludeLua}
row.forced = 1
save()
return false
`,
);
