import type { NoticeRate } from "../../contracts/notices.ts";
import { defineScript } from "../../redis/script-runner.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { noticeRateKey } from "../keys.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/** Messages to one target. */
const maxPerSpan = 10;
const spanMs = 60_000;

/**
 * take: KEYS: 1 times of the last messages (list, Redis time, the oldest first). ARGV: 1 messages per span, 2 the
 * span in ms.
 * Returns: how long to wait, and how many more have room. Run twice: one more is counted, and one fewer sent.
 */
const takeScript = defineScript(
  "notices:take",
  `${serverTimeLua}
local most, span = tonumber(ARGV[1]), tonumber(ARGV[2])
while true do
  local oldest = redis.call('LINDEX', KEYS[1], 0)
  if not oldest or now - tonumber(oldest) < span then break end
  redis.call('LPOP', KEYS[1])
end
local count = redis.call('LLEN', KEYS[1])
if count >= most then return {tonumber(redis.call('LINDEX', KEYS[1], 0)) + span - now, 0} end
redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], span)
return {0, most - count - 1}
`,
);

export function createRedisNoticeRate(redis: StoreRedis): NoticeRate {
  return {
    async take(target) {
      const key = noticeRateKey(redis.keyPrefix, target);
      const [waitMs = 0, left = 0] = (await redis.run(takeScript, [key], [maxPerSpan, spanMs])) as number[];
      return { waitMs, left };
    },
  };
}
