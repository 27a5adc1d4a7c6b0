import type { NoticeRate } from "../../contracts/notices.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { noticeRateKey } from "../keys.ts";

/** A key per target, which lives as long as there is no room for its next message. */
export function createRedisNoticeRate(redis: StoreRedis): NoticeRate {
  return {
    async take(target, everyMs) {
      const key = noticeRateKey(redis.keyPrefix, target);
      if ((await redis.command("SET", key, "1", "PX", everyMs, "NX")) !== null) return 0;
      return Math.max(1, Number(await redis.command("PTTL", key)));
    },
    async giveBack(target) {
      await redis.command("DEL", noticeRateKey(redis.keyPrefix, target));
    },
  };
}
