import { luaScript } from "../../redis/script-runner.ts";
import { passPreludeLua } from "./pass-prelude.lua.ts";

/** ARGV[1] {}. Returns: JSON { row, standing, found }, hashes as pairs; nil when there never was a pass. */
export const factsScript = luaScript("passes:facts")`${passPreludeLua}
if not rowText then return false end
return cjson.encode({ row = row, standing = redis.call('HGETALL', standingKey), found = redis.call('HGETALL', foundKey) })
`;

/** ARGV[1] {}. Returns: JSON { arrivals, found, now }, hashes as pairs. */
export const arrivalsScript = luaScript("passes:arrivals")`${passPreludeLua}
return cjson.encode({ arrivals = redis.call('HGETALL', arrivalsKey), found = redis.call('HGETALL', foundKey), now = now })
`;

/**
 * ARGV[1] { id, failures: FailureCounts, retentionMs }. Effects: counts them with an open pass, else at once. Run twice:
 * counted once, as long as the id is among the last of the drain.
 */
export const countActsScript = luaScript("passes:countActs")`${passPreludeLua}
local maxIds = 16
local ids = row.actIds or {}
for _, id in ipairs(ids) do
  if id == call.id then return end
end
ids[#ids + 1] = call.id
if #ids > maxIds then table.remove(ids, 1) end
row.actIds = ids
local published = 0
for id, count in pairs(call.failures) do
  if not isAgain(id) then published = published + (count.published or 0) end
end
countPublished(published)
countTaken(call.failures)
if row.open then addFound('acts', toFailureActs(call.failures)) else addStanding(toFailureActs(call.failures)) end
save()
`;

/** ARGV[1] {}. Effects: the next pass to open is full; one that is open now does not count. Run twice: the same. */
export const forceFullScript = luaScript("passes:forceFull")`${passPreludeLua}
row.forced = 1
save()
`;
