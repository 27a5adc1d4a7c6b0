import { serverTimeLua } from "../server-time.lua.ts";

/**
 * What every script of the pass book starts with.
 *
 * KEYS, all of one drain: 1 row (JSON string), 2 windows of the open pass (hash: windowId → JSON, or
 *   `ended`), 3 due (zset: start of a minute of entry, Unix ms, by the earliest time something in it becomes
 *   due), 4 taken (zset: what the open pass took from due).
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
