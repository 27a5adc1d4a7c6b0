import type { SourceId } from "../../contracts/ids.ts";
import {
  besideProbeMs,
  failuresBeforePause,
  firstPauseMs,
  inARowWithinMs,
  maxPauseMs,
  probeLimitEveryMs,
  type CallClass,
  type SourcePause,
  type SourcePauseBook,
} from "../../contracts/source-pauses.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import { luaScript, parseReply } from "../../redis/script-runner.ts";
import type { ScriptRedis } from "../connection-needs.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/** The hash outlives its last time by this much. */
const lifeMs = 3_600_000;

/**
 * KEYS: 1 the source's pauses: `dlq`, `batch` (rate limited until, Unix ms), `failures` in a row, `failed`
 * (when last), `failing` (until), `probe` (until), `noted` (when one of them was last set); of each class
 * that is limited `<class>ProbeFrom` (the next probe may go) and `<class>Lease` (one is under way until).
 * ARGV: 1 verb, 2 class of calls (ask, limited, lifted, giveBack), 3 a number: the lease (ask) or pause
 * (limited) in ms, the jitter (failed).
 * Returns: JSON { why, forMs } of a pause, `probe`, `limit-probe`, `calm`, or nil. Effects: those of SourcePauseBook.
 * Run twice: a second `ask` may find its own probe and wait until the lease ends; a second `failed` counts
 * once more while failures are few. A second `giveBack` may let another call go beside the probe.
 */
const sourcePauseScript = luaScript<SourcePause>("source-pauses")`${serverTimeLua}
local verb, class, given = ARGV[1], ARGV[2], tonumber(ARGV[3])

local all, known = redis.call('HGETALL', KEYS[1]), {}
for i = 1, #all, 2 do known[all[i]] = tonumber(all[i + 1]) end
local function get(field) return known[field] or 0 end
local function set(field, value)
  known[field] = value
  redis.call('HSET', KEYS[1], field, string.format('%.0f', value), 'noted', string.format('%.0f', now))
  local left = redis.call('PTTL', KEYS[1])
  local wanted = math.max(value - now, 0) + ${lifeMs}
  if left < wanted then redis.call('PEXPIRE', KEYS[1], string.format('%.0f', wanted)) end
end
-- The server's clock was set back: a pause of a minute must not last until the old time comes again.
local back = get('noted') - now
if back > 0 then
  local timed = { 'dlq', 'dlqProbeFrom', 'dlqLease', 'batch', 'batchProbeFrom', 'batchLease', 'failed', 'failing', 'probe' }
  for _, field in ipairs(timed) do
    local at = get(field)
    if at > 0 then set(field, math.max(1, at - back)) end
  end
  redis.call('HSET', KEYS[1], 'noted', string.format('%.0f', now))
end
local function pause(why, forMs) return cjson.encode({ why = why, forMs = forMs }) end

if verb == 'answered' then
  redis.call('HDEL', KEYS[1], 'failures', 'failed', 'failing', 'probe')
  return
end
if verb == 'giveBack' then
  redis.call('HDEL', KEYS[1], 'probe', class .. 'Lease')
  return
end
if verb == 'limited' then
  set(class, math.max(get(class), now + given))
  set(class .. 'ProbeFrom', now + ${probeLimitEveryMs})
  redis.call('HDEL', KEYS[1], class .. 'Lease')
  return
end
if verb == 'lifted' then
  redis.call('HDEL', KEYS[1], class, class .. 'ProbeFrom', class .. 'Lease')
  return
end
local failing = get('failing')
if verb == 'failed' then
  if failing > now then return pause('failing', failing - now) end
  local failures = get('failures') + 1
  if failing == 0 and now - get('failed') > ${inARowWithinMs} then failures = 1 end
  set('failures', failures)
  set('failed', now)
  if failures < ${failuresBeforePause} then return false end
  local forMs = math.min(${firstPauseMs} * 2 ^ math.min(failures - ${failuresBeforePause}, 30) * (1 + given / 4), ${maxPauseMs})
  forMs = math.floor(forMs + 0.5)
  set('failing', now + forMs)
  redis.call('HDEL', KEYS[1], 'probe')
  return pause('failing', forMs)
end
local limited = get(class)
if limited > now and limited >= failing then
  local lease, probeFrom = get(class .. 'Lease'), get(class .. 'ProbeFrom')
  if lease > now then return pause('rate-limited', math.min(${besideProbeMs}, lease - now, limited - now)) end
  if probeFrom > now then return pause('rate-limited', math.min(probeFrom, limited) - now) end
  set(class .. 'Lease', now + given)
  return 'limit-probe'
end
if failing > now then return pause('failing', failing - now) end
if failing == 0 then
  local hasFailed = get('failures') > 0 and now - get('failed') <= ${inARowWithinMs}
  if hasFailed or get('dlq') > now or get('batch') > now then return false end
  return 'calm'
end
local probe = get('probe')
if probe > now then return pause('failing', math.min(${besideProbeMs}, probe - now)) end
set('probe', now + given)
return 'probe'
`;

/** KEYS: 1 the source's pauses. Returns: JSON, of each class until when it is limited, or 0. Run twice: the same. */
const limitsScript = luaScript<Record<CallClass, number>>("source-pauses:limits")`${serverTimeLua}
local limits = {}
for _, class in ipairs({ 'dlq', 'batch' }) do
  local limited = tonumber(redis.call('HGET', KEYS[1], class) or '0')
  limits[class] = limited > now and limited or 0
end
return cjson.encode(limits)
`;

export function createRedisSourcePauseBook(redis: ScriptRedis, sourceId: SourceId): SourcePauseBook {
  const key = sourceKey(redis.keyPrefix, sourceId, "rests");
  const run = (
    verb: "ask" | "limited" | "failed" | "answered" | "lifted" | "giveBack",
    callClass: CallClass | "" = "",
    given = 0,
  ): Promise<unknown> => redis.run(sourcePauseScript, [key], [verb, callClass, given]);
  return {
    async ask(callClass, leaseMs) {
      const reply = (await run("ask", callClass, leaseMs)) ?? "go";
      if (reply === "go" || reply === "calm" || reply === "probe" || reply === "limit-probe") return reply;
      return parseReply(sourcePauseScript, reply);
    },
    limited: async (callClass, forMs) => void (await run("limited", callClass, Math.ceil(forMs))),
    async failed(jitter) {
      const reply = await run("failed", "", jitter);
      return reply === null ? null : parseReply(sourcePauseScript, reply);
    },
    answered: async () => void (await run("answered")),
    lifted: async (callClass) => void (await run("lifted", callClass)),
    giveBack: async (callClass) => void (await run("giveBack", callClass)),
    limits: async () => parseReply(limitsScript, await redis.run(limitsScript, [key], [])),
  };
}
