import { defineScript } from "../../redis/script-runner.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/**
 * What every script of the pass book starts with.
 *
 * KEYS, all of one drain: 1 row (JSON string), 2 windows of the open pass (hash: windowId → JSON, or
 * `ended`), 3 due (zset: start of a minute of entry, Unix ms, by the earliest time something in it becomes
 * due), 4 taken (zset: what the open pass took from due).
 * ARGV: 1 the call (JSON).
 *
 * The row: open? { pass, progressAt, left, failed, recalled? (windows so far), forced?, tally?, soFar? {
 * windowId: counts }, abandoned? }, forced?, watermark?, fullStartedAt?, hash?, mode? (of the last complete
 * full pass), lastFullAt?, lastSuccessAt?, lastOutcome?, counts?, last? { passId, windowId, verdict }.
 */
export const passPreludeLua = `${serverTimeLua}
local rowKey, windowsKey, dueKey, takenKey = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
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

local function openPass()
  if row.open and row.open.pass.passId == call.passId then return row.open end
end

local function addDue(minute, dueAt)
  local known = redis.call('ZSCORE', dueKey, minute)
  if not known or dueAt < tonumber(known) then redis.call('ZADD', dueKey, dueAt, minute) end
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
 * Effects: an open pass without progress for abandonAfterMs is closed as abandoned. The pass takes the due
 * minutes.
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

if openPass() then return opened() end
local abandoned = nil
if row.open then
  -- Progress in the future was made before the server's clock was set back. Its age is unknown.
  local idleMs = now - row.open.progressAt
  if idleMs > -1000 and idleMs <= call.abandonAfterMs then
    return cjson.encode({ kind = 'busy', passId = row.open.pass.passId, windows = windowsLeft() })
  end
  abandoned = row.open.pass
  giveBack()
  row.lastOutcome = 'abandoned'
end

local isFull = row.forced or not call.mayBeNew or not row.fullStartedAt or not row.watermark
  or now - row.fullStartedAt >= call.fullEveryMs or row.fullStartedAt > now + 1000 or row.hash ~= call.documentHash or row.mode ~= call.mode
local from = call.fullFrom
if not isFull then from = math.min(call.to, row.watermark - call.overlapMs) end

redis.call('DEL', windowsKey, takenKey)
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
  },
  progressAt = now, left = #windows, failed = 0, forced = row.forced, abandoned = abandoned,
}
row.forced = nil
save()
return opened()
`,
);

/**
 * takeWindow: ARGV[1] { passId, windowId }. Returns: JSON { pass, window, rows, left }, or nil if the pass is
 * closed or the window has ended. Effects: counts as progress.
 */
export const takeWindowScript = defineScript(
  "passes:takeWindow",
  `${passPreludeLua}
local open = openPass()
local text = open and redis.call('HGET', windowsKey, call.windowId)
if not text or text == 'ended' then return false end
open.progressAt = now
save()
return cjson.encode({ pass = open.pass, window = cjson.decode(text), rows = redis.call('HLEN', windowsKey), left = open.left })
`,
);

/**
 * progress: ARGV[1] { passId, windowId, due: [{ minute, dueAt }], soFar }. Returns: how many windows of the
 * pass have not ended, or nil if it is closed. Effects: each minute is due at the earliest time known, even
 * if the pass is closed. An open pass makes progress, and keeps soFar until the window ends.
 */
export const progressScript = defineScript(
  "passes:progress",
  `${passPreludeLua}
for _, one in ipairs(call.due) do addDue(string.format('%.0f', one.minute), one.dueAt) end
local open = openPass()
if open then
  open.progressAt = now
  if (redis.call('HGET', windowsKey, call.windowId) or 'ended') ~= 'ended' then
    open.soFar = open.soFar or {}
    open.soFar[call.windowId] = call.soFar
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

/** facts: ARGV[1] {}. Returns: the row's JSON, or nil when the drain never had a pass. */
export const factsScript = defineScript(
  "passes:facts",
  `${passPreludeLua}
return redis.call('GET', rowKey)
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
