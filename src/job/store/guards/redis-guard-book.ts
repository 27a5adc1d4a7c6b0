import type { GuardBook, GuardMemory } from "../../contracts/guards.ts";
import type { DrainName, SourceId } from "../../contracts/ids.ts";
import { sourceKey } from "../../redis/key-prefix.ts";
import { luaScript } from "../../redis/script-runner.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { toShortHash } from "../keys.ts";

const version = 1;
const lifeMs = 7 * 86_400_000;

/**
 * KEYS: 1 the guard. ARGV: 1 readAt, Unix ms, 2 JSON { v, state, effect, readAt }, 3 its life in ms, 4 the version.
 * Returns: the replaced effect (`open` for none, or one of another version), or nil. Effects: the guard is replaced,
 * unless it is of a newer reading. Run twice: the second time the effect is its own.
 */
const recordScript = luaScript("guards:record")`
local text = redis.call('GET', KEYS[1])
local kept = text and cjson.decode(text)
if kept and kept.v ~= tonumber(ARGV[4]) then kept = nil end
if kept and kept.readAt > tonumber(ARGV[1]) then return false end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return kept and kept.effect or 'open'
`;

export function createRedisGuardBook(redis: StoreRedis, sourceId: SourceId): GuardBook {
  const keyOf = (drain: DrainName, guard: string): string =>
    sourceKey(redis.keyPrefix, sourceId, "guards", drain, toShortHash(guard));
  return {
    async recall(drain, guards) {
      if (guards.length === 0) return [];
      const keys = guards.map((guard) => keyOf(drain, guard));
      const texts = (await redis.command("MGET", ...keys)) as readonly (string | null)[];
      return texts.map((text) => (text === null ? null : toMemory(text)));
    },
    async record(drain, guard, { state, effect, readAt }) {
      const text = JSON.stringify({ v: version, state, effect, readAt });
      const replaced = await redis.run(recordScript, [keyOf(drain, guard)], [readAt, text, lifeMs, version]);
      return replaced === "open" || replaced === "closed" ? replaced : null;
    },
  };
}

/** Null for a text that another version wrote. */
function toMemory(text: string): GuardMemory | null {
  const { v, state, effect, readAt } = JSON.parse(text) as GuardMemory & { readonly v: number };
  return v === version ? { state, effect, readAt } : null;
}
