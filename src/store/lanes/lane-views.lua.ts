import { laneStates } from "../../ports/lanes.ts";
import { defineScript } from "../../redis/script-runner.ts";
import { forgetAfterMs } from "./lane-numbers.ts";
import { lanePreludeLua } from "./lane-prelude.lua.ts";

/**
 * views: the lanes that are named, or lanes in an order.
 *
 * ARGV[2]: { lanes: [lane] } or { max, by: state | records }. By state: halted, canary, ramping and then open,
 *   of each the last used first. By records: those that were asked for most messages first.
 * Returns: JSON { lanes } of the known lanes, each as it is kept and with its id; in an order also { counts,
 *   totals }.
 * Effects: in an order, lanes that have been unused for seven days leave the indexes. Run twice: the same.
 */
export const viewsScript = defineScript(
  "lanes:views",
  `${lanePreludeLua}
local lanes = {}

local function add(id)
  local lane = read(id)
  if not lane then return false end
  lane.lane = id
  lanes[#lanes + 1] = lane
  return true
end

local function countLanes()
  local counts, before = {}, '(' .. string.format('%.0f', now - ${forgetAfterMs})
  for state, key in pairs(stateKeys) do
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', before)) do redis.call('ZREM', recordsKey, id) end
    redis.call('ZREMRANGEBYSCORE', key, '-inf', before)
    counts[state] = redis.call('ZCARD', key)
  end
  return counts
end

if call.lanes then
  for _, id in ipairs(call.lanes) do add(id) end
  return cjson.encode({ lanes = lanes })
end
local counts, totals = countLanes(), {}
for _, state in ipairs(call.by == 'state' and { ${laneStates.map((state) => `'${state}'`).join(", ")} } or {}) do
  local left = call.max - #lanes
  for _, id in ipairs(left > 0 and redis.call('ZREVRANGE', stateKeys[state], 0, left - 1) or {}) do add(id) end
end
while call.by == 'records' and #lanes < call.max do
  local ids = redis.call('ZREVRANGE', recordsKey, #lanes, call.max - 1)
  if #ids == 0 then break end
  for _, id in ipairs(ids) do
    if not add(id) then redis.call('ZREM', recordsKey, id) end
  end
end
for _, name in ipairs({ 'canaries', 'comeBacks', 'halts' }) do
  totals[name] = tonumber(redis.call('HGET', totalsKey, name) or 0)
end
return cjson.encode({ lanes = lanes, counts = counts, totals = totals })
`,
);
