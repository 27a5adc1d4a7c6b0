import type { PauseBook, PauseRecord } from "../../ports/pauses.ts";
import type { SourceId } from "../../ports/ids.ts";
import type { RedisConnection } from "../../redis/connect.ts";
import { sourceKeys } from "../keys.ts";

/** Pauses of one source's drains: the hash that the ledger's begin reads. Fails with `redis-unavailable`. */
export function createRedisPauseBook(
  redis: Pick<RedisConnection, "command" | "keyPrefix">,
  sourceId: SourceId,
): PauseBook {
  const { pauses } = sourceKeys(redis.keyPrefix, sourceId);
  return {
    async pause(record) {
      await redis.command("HSET", pauses, record.drain, JSON.stringify(record));
    },
    async resume(drain) {
      return (await redis.command("HDEL", pauses, drain)) === 1;
    },
    async all() {
      const texts = (await redis.command("HVALS", pauses)) as readonly string[];
      const records = texts.map((text) => JSON.parse(text) as PauseRecord);
      return records.toSorted((a, b) => a.at - b.at);
    },
  };
}
