import { ledgerScript } from "./prelude.lua.ts";

/**
 * recordLoss: ARGV[3] { window, oldestAt? }. Returns: the stamp. Effects: records now as the time of the
 * latest loss, and since when what was lost may have been published; losses that are at most `window` ms
 * apart count as one. Run twice: the same but for the time.
 */
export const recordLossScript = ledgerScript("recordLoss")`
local since = math.min(now - limits.gateAge, call.oldestAt or now)
if meta.lostAt and now - meta.lostAt <= call.window then since = math.min(since, meta.lostSince) end
setMeta('lostAt', now)
setMeta('lostSince', since)
return stamped({})
`;
