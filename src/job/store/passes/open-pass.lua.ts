import { luaScript } from "../../redis/script-runner.ts";
import { passPreludeLua } from "./pass-prelude.lua.ts";

/**
 * Opens a pass by compare-and-set.
 *
 * ARGV[1]: an OpenRequest. Returns: JSON of an OpenVerdict, with abandoned?.
 * Effects: an open pass without progress for abandonAfterMs is closed as abandoned, and so is one whose windows
 * Redis has lost: then a full pass follows. The pass takes the due minutes. Its horizon is `to`, or the watermark if
 * that is less than overlapMs later. Run twice: the pass that is open under this passId is answered again.
 */
export const openScript = luaScript("passes:open")`${passPreludeLua}
-- More windows than this cost more calls than listing everything between them.
local maxDueWindows = 50

local function opened()
  local last = row.last and row.last.verdict
  return cjson.encode({
    kind = 'opened', pass = row.open.pass, windows = windowsLeft(), abandoned = row.open.abandoned,
    isQuiet = last ~= nil and last.outcome == 'complete' and (last.tally.listed or 0) == 0,
  })
end

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
  countTold(0, math.huge, nil)
  local found = redis.call('HGETALL', foundKey)
  for i = 1, #found, 2 do
    local failures = cjson.decode(found[i + 1])
    addStanding(found[i] == 'acts' and toFailureActs(failures) or toPassActs(failures))
  end
  giveBack()
  row.lastOutcome = 'abandoned'
end

-- A slow answer makes the service's clock look behind by as long as it took. A horizon that went back with it would have
-- what entered since counted as arrived once more. One that goes back by more was wrong before.
local behindMs = row.hash == call.documentHash and (row.watermark or 0) - call.to or 0
if behindMs > 0 and behindMs < call.overlapMs then call.to = row.watermark end

local isFull = row.forced or isToConfirm() or not call.mayBeNew or not row.isCounted or not row.fullStartedAt or not row.watermark
  or now - row.fullStartedAt >= call.fullEveryMs or row.fullStartedAt > now + 1000 or row.hash ~= call.documentHash
  or not row.counted or row.counted.mode ~= call.mode or row.counted.as ~= call.countingKey
local from = call.fullFrom
if not isFull then from = math.min(call.to, row.watermark - call.overlapMs) end

redis.call('DEL', windowsKey, takenKey, foundKey, toldKey)
local minutes = {}
local due = redis.call('ZRANGEBYSCORE', dueKey, '-inf', call.to, 'WITHSCORES')
for i = 1, #due, 2 do
  redis.call('ZADD', takenKey, due[i + 1], due[i])
  redis.call('ZREM', dueKey, due[i])
  minutes[#minutes + 1] = tonumber(due[i])
end
table.sort(minutes)

local windows = { { from = from, to = call.to } }
local older = {}
for _, minute in ipairs(isFull and {} or minutes) do
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
for i, window in ipairs(windows) do
  window.windowId = 'w' .. i
  window.depth = 0
  redis.call('HSET', windowsKey, window.windowId, cjson.encode(window))
end

row.open = {
  pass = {
    countingKey = call.countingKey, passId = call.passId, drain = call.drain, source = call.source, kind = isFull and 'full' or 'new', mode = call.mode,
    documentHash = call.documentHash, from = from, to = call.to, startedAt = now,
    countedTo = row.isCounted and row.watermark or 0,
  },
  progressAt = now, left = #windows, failed = 0, forced = row.forced, abandoned = abandoned,
}
row.forced = nil
row.backlog = row.backlog or { at = now, published = 0 }
save()
return opened()
`;
