/** An idle host starts over: what is learned of it may not hold any more. */
const autoIdleMs = 3_600_000;
/** A larger share of failures halves the rate. A smaller one may be messages that fail at any rate. */
const toleratedShare = 0.05;
/** A listing check may meet a failure long before a pass does. More failures at once halve the rate anyway. */
const maxParents = 64;
export const maxLearnedHosts = 500;

/**
 * A rate that is learned (contracts/auto-rate.ts). Expects `now`.
 *
 *   newLearned ─► watch ─┬─ over, half of the rate used, nothing failed again ─► twice the rate ─► watch
 *                        ├─ over, otherwise ─► the same rate ─► watch
 *                        └─ too much failed again ─► half the rate ─► watch, in which it is not halved again
 *
 * It is JSON: v layout, auto { host, id, from, to, least, watchMs } of the last take, rate, since (its watch's
 * beginning), usedAt, halvedAt?; in this watch: sent and canaries (grants), failed and failedCanaries; of the
 * watch before: lastSent, lastCanaries; parents: short hashes of those that failed last.
 *
 * Failures may be of the watch before: a canary comes back up to three quarters of a watch later. So they are
 * compared with the grants of the larger one. Plain messages come back after all their retries, so their
 * failures are compared with everything granted.
 */
export const autoRateLua = `
local function newLearned(auto)
  return {
    v = 1, auto = auto, rate = auto.from, since = now, usedAt = now, sent = 0, canaries = 0, lastSent = 0,
    lastCanaries = 0, failed = 0, failedCanaries = 0, parents = {},
  }
end

-- A document may have changed the bounds; a clock that was set back, all times.
local function readLearned(key, auto)
  local text = redis.call('GET', key)
  local learned = text and cjson.decode(text)
  if not learned or learned.v ~= 1 then return nil end
  learned.auto = auto or learned.auto
  learned.rate = math.max(learned.auto.least, math.min(learned.auto.to, learned.rate))
  learned.since = math.min(learned.since, now)
  learned.usedAt = math.min(learned.usedAt, now)
  if learned.halvedAt then learned.halvedAt = math.min(learned.halvedAt, now) end
  return learned
end

local function beginWatch(learned)
  learned.lastSent, learned.lastCanaries = learned.sent, learned.canaries
  learned.since, learned.sent, learned.canaries, learned.failed, learned.failedCanaries = now, 0, 0, 0, 0
end

local function endWatch(learned)
  local watchMs = learned.auto.watchMs
  if now < learned.since + watchMs then return end
  local isSilent = learned.failed + learned.failedCanaries == 0
  if isSilent and 2 * learned.sent * 1000 >= learned.rate * watchMs then
    learned.rate = math.min(2 * learned.rate, learned.auto.to)
  end
  beginWatch(learned)
end

local function addSent(learned, sent, canaries)
  learned.sent = math.max(0, learned.sent + sent)
  learned.canaries = math.max(0, learned.canaries + canaries)
end

local function addFailure(learned, failure)
  for _, parent in ipairs(learned.parents) do
    if parent == failure.parent then return end
  end
  table.insert(learned.parents, failure.parent)
  if #learned.parents > ${maxParents} then table.remove(learned.parents, 1) end
  local name = failure.canary and 'failedCanaries' or 'failed'
  learned[name] = learned[name] + 1
end

local function halveIfTooMany(learned)
  local of, ofCanaries = math.max(learned.sent, learned.lastSent), math.max(learned.canaries, learned.lastCanaries)
  local isTooMany = learned.failed > ${toleratedShare} * of or learned.failedCanaries > ${toleratedShare} * ofCanaries
  local isAgain = learned.halvedAt and now < learned.halvedAt + learned.auto.watchMs
  if not isTooMany or isAgain then return end
  learned.rate = math.max(learned.auto.least, math.floor(learned.rate / 2))
  learned.halvedAt = now
  beginWatch(learned)
end

-- What is as at the beginning needs to be known for its watch and the next one only.
local function writeLearned(key, learned)
  local isNew = learned.rate == learned.auto.from and learned.failed + learned.failedCanaries == 0 and not learned.halvedAt
  local watches = (isNew and 2 or 3) * learned.auto.watchMs
  local life = isNew and watches or math.max(${autoIdleMs}, watches)
  local left = learned.usedAt + life - now
  if left > 0 then redis.call('SET', key, cjson.encode(learned), 'PX', left) end
end

local function listHost(key, id)
  redis.call('ZADD', key, now, id)
  redis.call('ZREMRANGEBYRANK', key, 0, -${maxLearnedHosts + 1})
  redis.call('PEXPIRE', key, ${autoIdleMs})
end
`;
