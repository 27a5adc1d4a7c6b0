import { luaScript } from "../../redis/script-runner.ts";
import { passPreludeLua } from "./pass-prelude.lua.ts";

/**
 * ARGV[1] { passId, windowId, owner?, hasStalled? }. Returns: JSON of a TakenWindow without what is null or empty, or nil
 * if the pass is closed or the window has ended. Effects: counts as progress, and the window is this owner's. Of an
 * earlier worker's counts, what it did is added to those of the pass. If that worker has stalled and not left, it was lost.
 * Run twice: the same, so the same owner is never lost to itself.
 */
export const takeWindowScript = luaScript("passes:takeWindow")`${passPreludeLua}
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
  care = care, unworkable = readKnown().unworkable, unlistable = #moments > 0 and moments or nil,
  workerLostAt = open.lostAt,
})
`;

/**
 * ARGV: 1 { passId, windowId, owner?, due: [{ minute, dueAt }], soFar }, 2 FailureCounts (JSON). Returns: how many windows
 * of the pass have not ended, nil if it is closed, or "taken-over" (JSON) if the window has another owner or has ended.
 * Effects: each minute is due at the earliest time known, whatever is returned. An open pass makes progress, and keeps
 * both until the window ends, unless it was taken over.
 */
export const progressScript = luaScript("passes:progress")`${passPreludeLua}
for _, one in ipairs(call.due) do addDue(string.format('%.0f', one.minute), one.dueAt) end
local open = openPass()
if not open then return end
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
`;

/**
 * ARGV[1] { minutes }. Effects: an open pass gets one more window for each minute in its reach, and the minute counts as
 * taken from due. Other minutes are due for the next pass. Run twice: a minute that is still to be listed is not added again.
 */
export const recallScript = luaScript("passes:recall")`${passPreludeLua}
local open, waiting = row.open, {}
for _, window in ipairs(open and windowsLeft() or {}) do
  if isRecalled(window.windowId) then waiting[window.from] = true end
end
for _, minute in ipairs(call.minutes) do
  local name = string.format('%.0f', minute)
  if not open or minute > open.pass.to then
    addDue(name, 0)
  elseif not waiting[minute] then
    waiting[minute] = true
    open.recalled = (open.recalled or 0) + 1
    open.left = open.left + 1
    local window = {
      windowId = 'r' .. open.recalled, from = minute, to = math.min(minute + 59999, open.pass.to), depth = 0,
    }
    redis.call('HSET', windowsKey, window.windowId, cjson.encode(window))
    redis.call('ZADD', takenKey, 0, name)
  end
end
if open then save() end
`;
