import { defineLedgerScript } from "./prelude.lua.ts";

/**
 * recordLoss: ARGV[4] { window, oldestAt? }. Returns: the stamp. Effects: records now as the time of the
 * latest loss, and since when what was lost may have been published; losses that are at most `window` ms
 * apart count as one. Run twice: the same but for the time.
 */
export const recordLossScript = defineLedgerScript(
  "recordLoss",
  `
local before = redis.call('HMGET', metaKey, 'lostAt', 'lostSince')
local since = math.min(now - limits.gateAge, call.oldestAt or now)
if before[1] and now - before[1] <= call.window then since = math.min(since, before[2]) end
redis.call('HSET', metaKey, 'lostAt', now, 'lostSince', since)
return stamped({})
`,
);
