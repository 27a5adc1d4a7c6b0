import type { DlqId } from "../../message/dead-letter.ts";
import type { LedgerLimits } from "../../contracts/ledger-limits.ts";
import type { ParkedInPage, ParkedPages } from "../../contracts/parked-pages.ts";
import type { SourceId } from "../../contracts/ids.ts";
import { defineScript, type RedisScript } from "../../redis/script-runner.ts";
import type { ScriptRedis } from "../connection-needs.ts";
import { sourceKeys } from "../keys.ts";
import { serverTimeLua } from "../server-time.lua.ts";
import { parseView } from "./entry.ts";

/**
 * parkedPage: a page of what is parked, in the order of the index.
 *
 * KEYS: 1 parked (zset: dlqId by when its entry expires). ARGV: 1 prefix of entry keys, 2 how many, 3 dlqId and
 * 4 score of the entry before the page; empty: from the start.
 * Returns: the server's time, how many are parked, then of each member dlqId, score and entry text ('' if it is
 * gone or in a batch). Effects: none. If the entry before has left its place, the page begins with the first of its
 * score, which may show some again and passes over none.
 */
const parkedPageScript: RedisScript = defineScript(
  "ledger:parkedPage",
  `${serverTimeLua}
local first = redis.call('ZCOUNT', KEYS[1], '-inf', now)
local total = redis.call('ZCARD', KEYS[1]) - first
if ARGV[3] ~= '' then
  local isThere = redis.call('ZSCORE', KEYS[1], ARGV[3])
  if isThere and tonumber(isThere) == tonumber(ARGV[4]) then
    first = math.max(first, redis.call('ZRANK', KEYS[1], ARGV[3]) + 1)
  else
    first = math.max(first, redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[4]))
  end
end
local members = redis.call('ZRANGE', KEYS[1], first, first + tonumber(ARGV[2]) - 1, 'WITHSCORES')
local answer = { string.format('%.0f', now), total }
for i = 1, #members, 2 do
  local text = redis.call('GET', ARGV[1] .. members[i]) or ''
  if string.sub(text, 1, 1) ~= '{' then text = '' end
  answer[#answer + 1] = members[i]
  answer[#answer + 1] = members[i + 1]
  answer[#answer + 1] = text
end
return answer
`,
);

/** `limits`: of the source's ledger. */
export function createRedisParkedPages(
  redis: ScriptRedis,
  sourceId: SourceId,
  limits: LedgerLimits,
): ParkedPages {
  const { parked, entryPrefix } = sourceKeys(redis.keyPrefix, sourceId);
  return {
    async page(after, limit) {
      const place = after === null ? ["", ""] : [after.dlqId, after.keptUntil];
      const reply = await redis.run(parkedPageScript, [parked], [entryPrefix, limit, ...place]);
      const [now, total, ...members] = reply as [string, number, ...string[]];
      const entries: ParkedInPage[] = [];
      let last: { readonly dlqId: string; readonly keptUntil: number } | null = null;
      for (let i = 0; i + 2 < members.length; i += 3) {
        const [dlqId = "", score, text = ""] = members.slice(i, i + 3);
        const keptUntil = Number(score);
        last = { dlqId, keptUntil };
        if (text === "") continue;
        const view = parseView(text, Number(now), limits);
        if (view.state === "parked") entries.push({ dlqId: dlqId as DlqId, view, keptUntil });
      }
      return { entries, total, next: members.length < 3 * limit ? null : last };
    },
  };
}
