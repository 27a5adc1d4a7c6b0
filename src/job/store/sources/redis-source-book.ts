import type { Census, SourceBook } from "../../contracts/source-book.ts";
import type { SourceId } from "../../contracts/ids.ts";
import { sharedKey, sourceKey } from "../../redis/key-prefix.ts";
import { luaScript } from "../../redis/script-runner.ts";
import { sourceKeys } from "../keys.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { serverTimeLua } from "../server-time.lua.ts";

/**
 * Binds a source id to its address for good, and follows its token.
 *
 * KEYS: 1 the source's hash. ARGV: 1 hash of the URL, 2 hash of the token.
 * Returns: bound | same | token-changed | url-differs. Effects: url is set once and never changed; token is
 * set unless the url differs. Run twice: bound and token-changed become same.
 */
const bindScript = luaScript("source:bind")`
local known = redis.call('HMGET', KEYS[1], 'url', 'token')
if not known[1] then
  redis.call('HSET', KEYS[1], 'url', ARGV[1], 'token', ARGV[2])
  return 'bound'
end
if known[1] ~= ARGV[1] then return 'url-differs' end
if known[2] == ARGV[2] then return 'same' end
redis.call('HSET', KEYS[1], 'token', ARGV[2])
return 'token-changed'
`;

/**
 * KEYS: 1 the account's key. ARGV: 1 a source id, 2 its life, ms. Returns: the recorded id. Effects: the given id is
 * recorded for that long, unless there is another. Run twice: the same.
 */
const idOfAccountScript = luaScript("source:idOfAccount")`
local known = redis.call('GET', KEYS[1])
if known and known ~= ARGV[1] then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
`;

/**
 * KEYS: 1 ids that are bound to an address (zset: id by the time at which it is forgotten). ARGV: 1 the source id, 2
 * for how long, ms. Returns: nothing. Effects: the id lives longer, never less; expired ones leave; the key lives as
 * long as the last. Run twice: the same.
 */
const recordAddressScript = luaScript("source:recordAddress")`${serverTimeLua}
local untilMs = math.max(now + tonumber(ARGV[2]), tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '0'))
redis.call('ZADD', KEYS[1], string.format('%.0f', untilMs), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local last = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', tonumber(last)))
`;

/**
 * Whether a ledger has something that must not be forgotten.
 *
 * KEYS: 1 meta, 2 parked, 3 and more: open and pending, all of one source, as the ledger's prelude has them. ARGV: 1
 * the deduplication window, ms.
 * Returns: 1 or 0. Effects: none. A write that is recorded for a time to come, because the ledger went back
 * to the server's time, is of just now.
 */
const isInUseScript = luaScript("source:isInUse")`${serverTimeLua}
local server = now
local meta = redis.call('HMGET', KEYS[1], 'lastNow', 'ahead', 'wroteAt', 'coolUntil')
now = math.max(server + tonumber(meta[2] or 0), tonumber(meta[1] or 0))
if redis.call('EXISTS', unpack(KEYS, 3)) > 0 then return 1 end
-- Lives end by the server's clock, which may be behind the ledger's.
if redis.call('ZCOUNT', KEYS[2], server, '+inf') > 0 then return 1 end
if tonumber(meta[4] or 0) > server then return 1 end
-- After a loss of Redis there is no wroteAt, and the ledger is in use as long as its sweep runs.
local wroteAt = tonumber(meta[3] or meta[1] or 0)
return now - wroteAt <= tonumber(ARGV[1]) and 1 or 0
`;

/**
 * KEYS: 1 the source's census (JSON string). ARGV: 1 a census (JSON). Returns: nothing. Effects: the key is set unless
 * a census with a later `at` is there. Run twice: the same.
 */
const recordCensusScript = luaScript("source:recordCensus")`
local known = redis.call('GET', KEYS[1])
if known and cjson.decode(known).at > cjson.decode(ARGV[1]).at then return end
redis.call('SET', KEYS[1], ARGV[1])
`;

export function createRedisSourceBook(
  redis: StoreRedis,
  sourceId: SourceId,
  retentionMs: number,
): SourceBook {
  const { keyPrefix } = redis;
  const binding = sourceKey(keyPrefix, sourceId, "binding");
  const censusKey = sourceKey(keyPrefix, sourceId, "census");
  const soFarKey = sourceKey(keyPrefix, sourceId, "census-so-far");
  const accountKey = (...hashes: readonly string[]): string => sharedKey(keyPrefix, "account", ...hashes);
  const addressKey = (urlHash: string): string => sharedKey(keyPrefix, "address", urlHash);
  return {
    async idOfAccount(urlHash, tokenHash) {
      const keys = [accountKey(urlHash, tokenHash)];
      return (await redis.run(idOfAccountScript, keys, [sourceId, retentionMs])) as SourceId;
    },
    async knownBinding(urlHash, tokenHash) {
      const drainedAs = await redis.command("GET", accountKey(urlHash, tokenHash));
      const url = await redis.command("HGET", binding, "url");
      return { drainedAs: drainedAs as SourceId | null, isBound: url !== null };
    },
    async othersAt(urlHash, dedupWindowMs) {
      const ids = await redis.command("ZRANGE", addressKey(urlHash), 0, -1);
      const others = (ids as readonly SourceId[]).filter((id) => id !== sourceId);
      // A script each: their ledgers lie in other slots than this one's, and than the address.
      return Promise.all(
        others.map(async (id) => {
          const of = sourceKeys(keyPrefix, id);
          const keys = [of.meta, of.parked, of.open, of.pending, of.openBatches, of.pendingBatches];
          return { id, isInUse: (await redis.run(isInUseScript, keys, [dedupWindowMs])) === 1 };
        }),
      );
    },
    async bind(urlHash, tokenHash) {
      const reply = await redis.run(bindScript, [binding], [urlHash, tokenHash]);
      const verdict = reply as "bound" | "same" | "token-changed" | "url-differs";
      // In another slot, so in another script. Also of what is bound: a call may have failed here.
      if (verdict !== "url-differs") {
        await redis.run(recordAddressScript, [addressKey(urlHash)], [sourceId, 2 * retentionMs]);
      }
      return verdict;
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
      return typeof text === "string" ? (JSON.parse(text) as Census) : null;
    },
    async recordCensus(census) {
      await redis.run(recordCensusScript, [censusKey], [JSON.stringify(census)]);
    },
    async countedSoFar() {
      const text = await redis.command("GET", soFarKey);
      return typeof text === "string" ? (JSON.parse(text) as NonNullable<Census["selected"]>) : null;
    },
    async tellSoFar(selected) {
      await redis.command("SET", soFarKey, JSON.stringify(selected), "PX", 60_000);
    },
  };
}
