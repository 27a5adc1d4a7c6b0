import type { SourceId } from "../ports/ids.ts";
import type { Census, SourceBook } from "../ports/passes.ts";
import type { RedisConnection } from "../redis/connect.ts";
import { defineScript } from "../redis/script-runner.ts";
import { accountKey, sourceKeys } from "./keys.ts";

/**
 * bind: binds a source id to its address, once and for all, and follows its token.
 *
 * KEYS: 1 the source's hash. ARGV: 1 hash of the URL, 2 hash of the token.
 * Returns: bound | same | token-changed | url-differs. Effects: url is set where absent and never changed; token is set unless the
 *   url differs. Run twice: bound and token-changed become same.
 */
const bindScript = defineScript(
  "source:bind",
  `
local known = redis.call('HMGET', KEYS[1], 'url', 'token')
if not known[1] then
  redis.call('HSET', KEYS[1], 'url', ARGV[1], 'token', ARGV[2])
  return 'bound'
end
if known[1] ~= ARGV[1] then return 'url-differs' end
if known[2] == ARGV[2] then return 'same' end
redis.call('HSET', KEYS[1], 'token', ARGV[2])
return 'token-changed'
`,
);

/**
 * idOfAccount: the source id of an account.
 *
 * KEYS: 1 the account's key. ARGV: 1 a source id, 2 for how long it is remembered, ms.
 * Returns: the id that is remembered. Effects: the given one is remembered where there is none; the same one is remembered for longer.
 * Run twice: the same.
 */
const idOfAccountScript = defineScript(
  "source:idOfAccount",
  `
local known = redis.call('GET', KEYS[1])
if known and known ~= ARGV[1] then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
`,
);

/**
 * noteCensus: keeps the newest census.
 *
 * KEYS: 1 the source's census (JSON string). ARGV: 1 a census (JSON). Returns: nothing. Effects: the key is set unless a census with a
 *   later `at` is there. Run twice: the same.
 */
const noteCensusScript = defineScript(
  "source:noteCensus",
  `
local known = redis.call('GET', KEYS[1])
if known and cjson.decode(known).at > cjson.decode(ARGV[1]).at then return end
redis.call('SET', KEYS[1], ARGV[1])
`,
);

/** What is remembered about a source besides its ledger. Fails with `redis-unavailable`. */
export function createRedisSourceBook(
  redis: Pick<RedisConnection, "run" | "command" | "keyPrefix">,
  sourceId: SourceId,
  retentionMs: number,
): SourceBook {
  const { binding, census: censusKey } = sourceKeys(redis.keyPrefix, sourceId);
  return {
    async idOfAccount(urlHash, tokenHash) {
      const account = accountKey(redis.keyPrefix, urlHash, tokenHash);
      return (await redis.run(idOfAccountScript, [account], [sourceId, retentionMs])) as SourceId;
    },
    async bind(urlHash, tokenHash) {
      const verdict = await redis.run(bindScript, [binding], [urlHash, tokenHash]);
      return verdict as "bound" | "same" | "token-changed" | "url-differs";
    },
    async datesMean() {
      const meaning = await redis.command("HGET", binding, "datesMean");
      return meaning === "entered" || meaning === "created" ? meaning : null;
    },
    async learnDates(meaning) {
      await redis.command("HSET", binding, "datesMean", meaning);
    },
    async census() {
      const text = await redis.command("GET", censusKey);
      if (typeof text !== "string") return null;
      // During an update another replica may write a census that does not count these apart.
      const census = JSON.parse(text) as Omit<Census, "expiringAccepted" | "strayComeBacks"> &
        Partial<Census>;
      const { expiringAccepted = 0, strayComeBacks = { count: 0, top: [] } } = census;
      return { ...census, expiringAccepted, strayComeBacks };
    },
    async noteCensus(census) {
      await redis.run(noteCensusScript, [censusKey], [JSON.stringify(census)]);
    },
  };
}
