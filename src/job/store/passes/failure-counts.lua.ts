import { resolvedAfterMs } from "../../contracts/failures.ts";

/**
 * What counts by kind of failure: what windows found, and what stands. A part of pass-prelude.lua.ts, which has the keys.
 */
export const failureCountsLua = `
local resolvedAfterMs = ${resolvedAfterMs}
local byName = { arrived = true, arrivedDone = true, ruled = true, failedAgainOf = true, expires = true, expiresDone = true }
local first = { firstAt = true, oldestAt = true }

-- Of records that another drain counts for the source. They are counted under the kind's own id too.
local function isAgain(id) return string.sub(id, 1, 1) == '~' end
local function arrivedName(id) return isAgain(id) and 'arrivedAgain' or 'arrived' end

local function addFailures(sum, failures)
  for id, count in pairs(failures) do
    local one = sum[id] or {}
    for name, value in pairs(count) do
      if byName[name] then
        one[name] = one[name] or {}
        for key, part in pairs(value) do one[name][key] = (one[name][key] or 0) + part end
      elseif name == 'lastArrivedAt' then
        one[name] = math.max(one[name] or 0, value)
      elseif first[name] then
        one[name] = math.min(one[name] or value, value)
      else
        one[name] = (one[name] or 0) + value
      end
    end
    sum[id] = one
  end
end

-- Without what was left: another window or pass counts it, as parked too.
local function toFailureActs(failures)
  local acts = {}
  for id, count in pairs(failures) do
    acts[id] = {
      seen = (count.published or 0) + (count.dropped or 0), published = count.published, dropped = count.dropped, discarded = count.discarded,
      parkedBefore = count.parked and -count.parked, parked = count.parked, failedAgain = count.failedAgain, failedAgainOf = count.failedAgainOf,
      arrived = count.arrivedDone, arrivedDone = count.arrivedDone, expiresDone = count.expiresDone, firstAt = count.firstAt,
    }
  end
  return acts
end

-- Of windows. What a plan would park is no act: nothing remembers it, so it is counted again with its arrival.
local function toPassActs(failures)
  local acts = toFailureActs(failures)
  if row.open.pass.mode ~= 'plan' then return acts end
  for _, act in pairs(acts) do act.parked, act.parkedBefore = nil, nil end
  return acts
end

local function readFound(field)
  local text = redis.call('HGET', foundKey, field)
  return text and cjson.decode(text)
end

local function addFound(field, failures)
  if next(failures) == nil then return end
  local sum = readFound(field) or {}
  addFailures(sum, failures)
  redis.call('HSET', foundKey, field, cjson.encode(sum))
end

-- Of a window of which another worker, or another window, lists again what was left.
local function addFoundActs(windowId, failures)
  addFound(isRecalled(windowId) and 'acts' or 'sum', toPassActs(failures))
end

local function addPart(count, name, at, number)
  local hour = string.format('%.0f', math.floor(at / 3600000))
  count[name] = count[name] or {}
  count[name][hour] = (count[name][hour] or 0) + number
end

-- True if a window of the open pass that has ended had what entered then.
local function isListed(at, left)
  if not row.open or at > row.open.pass.to then return false end
  for _, window in ipairs(left) do
    if not isRecalled(window.windowId) and at >= window.from and at <= window.to then return false end
  end
  return true
end

-- Of its id.
local function entryOf(dlqId) return tonumber(string.match(dlqId, '^%d+')) end

-- As if this drain had taken it, or has never listed it.
local function addTaken(sums, id, at, expiresAt, isCounted)
  local sum = sums[id] or {}
  sums[id] = sum
  if isCounted then addPart(sum, 'expires', expiresAt, -1) end
  addPart(sum, 'arrivedDone', at, 1)
  sum.dropped = (sum.dropped or 0) + 1
end

-- More are taken for not listed yet.
local maxTold = 5000

-- What another drain took. What was counted before waits no more. What the open pass has listed is as if this drain had
-- taken it. Whether a window at work has, its end tells. Anything else is never listed: it has arrived, and is done.
local function countTaken(failures)
  local left, listed = nil, {}
  local countedTo = row.isCounted and row.watermark or 0
  for id, count in pairs(failures) do
    for dlqId in pairs(count.taken or {}) do
      local at = entryOf(dlqId)
      local expiresAt = at + call.retentionMs
      if at <= countedTo then
        addPart(count, 'expiresDone', expiresAt, 1)
        count.dropped = (count.dropped or 0) + 1
      else
        left = left or row.open and windowsLeft() or {}
        local isKnown = isListed(at, left)
        if not isKnown and row.open and at <= row.open.pass.to and redis.call('HLEN', toldKey) < maxTold then
          local told = redis.call('HGET', toldKey, dlqId) or string.format('%.0f', expiresAt)
          redis.call('HSET', toldKey, dlqId, told .. ' ' .. id)
        else
          addTaken(isKnown and listed or failures, id, at, expiresAt, isKnown)
        end
      end
    end
  end
  if row.open then addFound('sum', listed) end
end

-- At the end of a window, or of its pass: of what other drains took meanwhile, it has counted these.
local function countTold(from, to, counted)
  local all = redis.call('HGETALL', toldKey)
  local isCounted, listed, never = {}, {}, {}
  for _, dlqId in ipairs(#all > 0 and counted or {}) do isCounted[dlqId] = true end
  for i = 1, #all, 2 do
    local dlqId, at, expiresAt = all[i], entryOf(all[i]), nil
    if at >= from and at <= to then
      for word in string.gmatch(all[i + 1], '%S+') do
        if not expiresAt then
          expiresAt = tonumber(word)
        else
          addTaken(isCounted[dlqId] and listed or never, word, at, expiresAt, isCounted[dlqId])
        end
      end
      redis.call('HDEL', toldKey, dlqId)
    end
  end
  addFound('sum', listed)
  addFound('acts', toFailureActs(never))
end

local standing
local function allStanding()
  standing = standing or redis.call('HGETALL', standingKey)
  return standing
end

local function readStanding(id)
  local text = redis.call('HGET', standingKey, id)
  return text and cjson.decode(text) or { w = 0, q = 0, n = 0, p = 0, f = 0 }
end

local function writeStanding(id, it)
  standing = nil
  redis.call('HSET', standingKey, id, cjson.encode(it))
end

local arrivalHours = 168

-- Answers how many arrived in the fullest of these hours.
local function recordArrivals(id, arrived)
  local hours = cjson.decode(redis.call('HGET', arrivalsKey, id) or '{}')
  local oldest = math.floor(now / 3600000) - arrivalHours
  local most = 0
  for hour, count in pairs(arrived) do
    hours[hour] = (hours[hour] or 0) + count
    most = math.max(most, hours[hour])
  end
  for hour in pairs(hours) do
    if tonumber(hour) <= oldest then hours[hour] = nil end
  end
  redis.call('HSET', arrivalsKey, id, cjson.encode(hours))
  return most
end

local function takeExpires(it, done)
  for hour, count in pairs(it.x and done or {}) do it.x[hour] = it.x[hour] and it.x[hour] - count end
end

-- A kind comes back from few others. What it has of more counts for itself.
local maxOf = 20

local function addFailedAgainOf(it, parts)
  it.b = it.b or {}
  local size = 0
  for _ in pairs(it.b) do size = size + 1 end
  for id, part in pairs(parts) do
    if not it.b[id] then size = size + 1 end
    if it.b[id] or size <= maxOf then it.b[id] = (it.b[id] or 0) + part end
  end
end

-- Adds arrivals, and takes away what is done. What a first count finds has not just arrived.
local function addStanding(failures)
  local isArrival = row.isCounted and (not row.open or row.open.pass.countedTo > 0)
  for id, count in pairs(failures) do
    local it, arrived = readStanding(id), 0
    for _, one in pairs(count.arrived or {}) do arrived = arrived + one end
    local movedAt = math.max(it.l or 0, it.t or 0)
    local isQuiet = it.w <= 0 and (count.firstAt or 0) - movedAt > resolvedAfterMs
    -- Not again by a pass that lists again what an earlier one found and failed to count.
    if isQuiet and (it.e or 0) <= movedAt then it.e = count.firstAt end
    local done = (count.published or 0) + (count.dropped or 0)
    -- Also what came back of a kind that is never listed here: it is not forgotten with the next full pass.
    if done > 0 or count.failedAgain and not it.l and not it.t then it.t = now end
    it.w = it.w + arrived - done
    it.q = it.q + (count.parked or 0)
    it.n = it.n + arrived
    if isArrival then row[arrivedName(id)] = (row[arrivedName(id)] or 0) + arrived end
    it.p = it.p + (count.published or 0)
    if count.discarded then it.g = (it.g or 0) + count.discarded end
    it.f = it.f + (count.failedAgain or 0) + (count.cameBack or 0)
    if count.failedAgainOf then addFailedAgainOf(it, count.failedAgainOf) end
    if count.lastArrivedAt then it.l = math.max(it.l or 0, count.lastArrivedAt) end
    if count.firstAt then it.s = math.min(it.s or count.firstAt, count.firstAt) end
    if count.oldestAt then it.o = math.min(it.o or count.oldestAt, count.oldestAt) end
    takeExpires(it, count.expiresDone)
    if count.arrived then it.m = math.max(it.m or 0, recordArrivals(id, count.arrived)) end
    for rule, ruled in pairs(count.ruled or {}) do
      it.d = it.d or {}
      it.d[rule] = (it.d[rule] or 0) + ruled
    end
    writeStanding(id, it)
  end
end

-- Before what was left is forgotten, so that it is listed again: what was shown as arrived must not fall.
local function keepArrived()
  local sums, totals = {}, { arrived = 0, arrivedAgain = 0 }
  local all = redis.call('HGETALL', foundKey)
  for i = 1, #all, 2 do
    for id, count in pairs(all[i] ~= 'acts' and cjson.decode(all[i + 1]) or {}) do
      for _, arrived in pairs(count.arrived or {}) do sums[id] = (sums[id] or 0) + arrived end
    end
  end
  for id, arrived in pairs(sums) do
    local it = readStanding(id)
    it.h = math.max(it.h or 0, it.n + arrived)
    totals[arrivedName(id)] = totals[arrivedName(id)] + arrived
    writeStanding(id, it)
  end
  if row.open.pass.countedTo == 0 then return end
  for name, total in pairs(totals) do
    row[name .. 'Shown'] = math.max(row[name .. 'Shown'] or 0, (row[name] or 0) + total)
  end
end

-- A complete pass has listed again what is there. What left the queue in between has arrived too.
local function settleArrived()
  local all = allStanding()
  for i = 1, #all, 2 do
    local it = cjson.decode(all[i + 1])
    if it.h then
      it.n, it.h = math.max(it.n, it.h), nil
      writeStanding(all[i], it)
    end
  end
  for _, name in ipairs({ 'arrived', 'arrivedAgain' }) do
    local shown = row[name .. 'Shown']
    row[name] = shown and math.max(row[name] or 0, shown) or row[name]
    row[name .. 'Shown'] = nil
  end
end

-- A kind that is gone is forgotten if it has not arrived, and nothing was done with it, for a week. Of what was done in a
-- window that another lists again, nobody knows when it arrived.
local function forgetStanding(id, it)
  if it.w ~= 0 or it.q ~= 0 or math.max(it.l or 0, it.t or 0) > now - arrivalHours * 3600000 then return false end
  standing = nil
  redis.call('HDEL', standingKey, id)
  redis.call('HDEL', arrivalsKey, id)
  return true
end

local function between(value, one, other)
  return math.min(math.max(value, math.min(one, other)), math.max(one, other))
end

-- A full pass has seen everything, so what it left is what there is. \`acts\`: of recalled windows and of others,
-- of records that it saw before or never. So they leave a span, and within it what was carried forward holds.
local function recount(seen, acts)
  local all = allStanding()
  for i = 1, #all, 2 do
    local id, it = all[i], cjson.decode(all[i + 1])
    local count, act = seen[id] or {}, acts[id] or {}
    local left = (count.seen or 0) - (count.published or 0) - (count.dropped or 0)
    local parked = (count.parkedBefore or 0) + (count.parked or 0)
    it.w = between(it.w, left, left - (act.published or 0) - (act.dropped or 0))
    it.q = between(it.q, parked, parked + (act.parked or 0))
    it.d, it.o = count.ruled, count.oldestAt
    local carried, x = it.x or {}, count.expires or {}
    for hour, done in pairs(act.expiresDone or {}) do
      if x[hour] then x[hour] = between(carried[hour] or 0, x[hour], x[hour] - done) end
    end
    it.x = x
    if it.w <= 0 and it.q <= 0 then it.s = nil end
    if not forgetStanding(id, it) then writeStanding(id, it) end
  end
end
`;
