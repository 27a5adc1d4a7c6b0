import { luaScript } from "../../redis/script-runner.ts";
import { passPreludeLua } from "./pass-prelude.lua.ts";

/**
 * ARGV[1]: a WindowRun with its WindowMark. Returns: JSON of whether the window is still this owner's. Effects: if it is,
 * what it has under work replaces what it had before; `long` says of the same records that they are under work for long.
 * Nothing is suspected of the cleared. The unworkable are passed over from now on. Counts as progress. Run twice: the same.
 */
export const markWindowScript = luaScript("passes:markWindow")`${passPreludeLua}
local open = openPass()
local text = open and redis.call('HGET', windowsKey, call.windowId)
if not text or text == 'ended' or ownerOf(open) ~= call.owner then return cjson.encode(false) end
open.progressAt = now
for _, ids in ipairs({ call.cleared, call.unworkable }) do
  for _, id in ipairs(ids) do
    if open.suspects then open.suspects[id] = nil end
    if open.alone and open.alone.id == id then open.alone = nil end
  end
end
addUnworkable(call.unworkable)
if call.unlistable then addUnlistable(call.unlistable) end
local care = careOf(open)
if care then
  if call.under == 'long' then
    care.isLong = care.marked and true
  else
    forgetMarks(care)
    if call.under == 'listing' then care.isListing = true end
    if type(call.under) == 'table' then care.marked, care.listings = call.under, nil end
  end
end
save()
return cjson.encode(true)
`;

/**
 * ARGV[1]: a WindowRun and isStopping. Effects: if the window is this owner's, it has none, so that the next one is not
 * told of a lost worker; only, if it stops, from when on it did nothing. Run twice: the same.
 */
export const leaveWindowScript = luaScript("passes:leaveWindow")`${passPreludeLua}
local open = openPass()
if not open or ownerOf(open) ~= call.owner then return false end
open.owners[call.windowId] = nil
if call.isStopping then open.lostAt = now end
local care = careOf(open)
if care then forgetMarks(care) end
save()
`;
