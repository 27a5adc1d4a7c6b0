import { laneStates } from "../../ports/lanes.ts";
import { defineScript } from "../../redis/script-runner.ts";
import { forgetAfterMs } from "./lane-numbers.ts";
import { lanePreludeLua } from "./lane-prelude.lua.ts";

/**
 * The state of several lanes: `views`, `viewsOf` and `busiest` are lists of lanes as
 * they are kept, each with its id.
 */
const viewsLua = `${lanePreludeLua}
local function viewOf(id)
  local lane = read(id)
  if lane then lane.lane = id end
  return lane
end

-- What has been unused for too long leaves the indexes.
local function countLanes()
  local counts, before = {}, '(' .. string.format('%.0f', now - ${forgetAfterMs})
  for state, key in pairs(stateKeys) do
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', key, '-inf', before)) do redis.call('ZREM', recordsKey, id) end
    redis.call('ZREMRANGEBYSCORE', key, '-inf', before)
    counts[state] = redis.call('ZCARD', key)
  end
  return counts
end
`;

/**
 * views: ARGV[2]: { max }. Returns: JSON { lanes, counts }, halted, canary, ramping and then open, of each
 *   the last used first. Effects: what has been unused for seven days leaves the indexes. Run twice: the
 *   same.
 */
export const viewsScript = defineScript(
  "lanes:views",
  `${viewsLua}
local lanes, counts = {}, countLanes()
for _, state in ipairs({ ${laneStates.map((state) => `'${state}'`).join(", ")} }) do
  local left = call.max - #lanes
  for _, id in ipairs(left > 0 and redis.call('ZREVRANGE', stateKeys[state], 0, left - 1) or {}) do
    lanes[#lanes + 1] = viewOf(id)
  end
end
return cjson.encode({ lanes = lanes, counts = counts })
`,
);

/**
 * viewsOf: ARGV[2]: { lanes: [lane] }. Returns: JSON { lanes } of those that are remembered. Effects: none.
 * Run twice: the same.
 */
export const viewsOfScript = defineScript(
  "lanes:viewsOf",
  `${viewsLua}
local lanes = {}
for _, id in ipairs(call.lanes) do lanes[#lanes + 1] = viewOf(id) end
return cjson.encode({ lanes = lanes })
`,
);

/**
 * busiest: ARGV[2]: { max }. Returns: JSON { lanes, counts, totals }, those that were asked for most messages
 *   first. Effects: those of views; what is no lane any more leaves the index by records. Run twice: the
 *   same.
 */
export const busiestScript = defineScript(
  "lanes:busiest",
  `${viewsLua}
local lanes, counts = {}, countLanes()
while #lanes < call.max do
  local ids = redis.call('ZREVRANGE', recordsKey, #lanes, call.max - 1)
  if #ids == 0 then break end
  for _, id in ipairs(ids) do
    local lane = viewOf(id)
    if lane then
      lanes[#lanes + 1] = lane
    else
      redis.call('ZREM', recordsKey, id)
    end
  end
end
local totals = {}
for _, name in ipairs({ 'canaries', 'comeBacks', 'halts' }) do
  totals[name] = tonumber(redis.call('HGET', totalsKey, name) or 0)
end
return cjson.encode({ lanes = lanes, counts = counts, totals = totals })
`,
);
