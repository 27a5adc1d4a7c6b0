import type { DlqId } from "../../message/dead-letter.ts";
import type { CopyBook } from "../../contracts/copy-book.ts";
import type { SourceId } from "../../contracts/ids.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import { luaScript } from "../../redis/script-runner.ts";
import type { ScriptRedis } from "../connection-needs.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/**
 * The book is a sorted set of dlqIds, each scored with the Unix ms (Redis time) at which it is forgotten. Both scripts:
 *
 * KEYS: 1 the book. ARGV: 1 how long an id is known from now, ms; then dlqIds.
 * Effects: what is past its time is dropped; the book vanishes if nobody touches it for that long.
 */
const prelude = `${serverTimeLua}
local forgetAt = now + ARGV[1]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
`;

/**
 * Returns: the 1-based positions of the dlqIds that the book does not have. Effects: a known id past half of its life
 * gets a new one, because it is still listed. A source may keep records longer than its settings say.
 */
const missingScript = luaScript("copies:missing")`${prelude}
local missing = {}
local half = now + ARGV[1] / 2
for i = 2, #ARGV do
  local score = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if not score then
    missing[#missing + 1] = i - 1
  elseif tonumber(score) < half then
    redis.call('ZADD', KEYS[1], forgetAt, ARGV[i])
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
  end
end
return missing
`;

/** Returns: nothing. Effects: the book has the dlqIds. Run twice: the same. */
const copiedScript = luaScript("copies:copied")`${prelude}
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], forgetAt, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
`;

/** Keeps one script short, so that it does not stop the server for others. */
const idsPerCall = 1_000;

/**
 * Copies of one source's dead letters. An id is known for `lifeMs` after it was recorded or last asked about; the
 * source's retention is right. `archive` names where the copies are: a copy in another archive is none in this one.
 */
export function createRedisCopyBook(
  redis: ScriptRedis,
  sourceId: SourceId,
  { lifeMs, archive }: { readonly lifeMs: number; readonly archive?: string },
): CopyBook {
  const copies = sourceKey(redis.keyPrefix, sourceId, "copies", ...(archive === undefined ? [] : [archive]));
  return {
    async missing(dlqIds) {
      const missing: DlqId[] = [];
      for (const ids of slices(dlqIds)) {
        const positions = (await redis.run(missingScript, [copies], [lifeMs, ...ids])) as readonly number[];
        missing.push(...positions.flatMap((position) => ids[position - 1] ?? []));
      }
      return missing;
    },
    async copied(dlqIds) {
      for (const ids of slices(dlqIds)) await redis.run(copiedScript, [copies], [lifeMs, ...ids]);
    },
  };
}

function* slices(dlqIds: readonly DlqId[]): Generator<readonly DlqId[]> {
  for (let at = 0; at < dlqIds.length; at += idsPerCall) yield dlqIds.slice(at, at + idsPerCall);
}
