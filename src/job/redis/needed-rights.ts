import { queueKinds, sharedKey, sourceKey, toQueueName, toQueuePrefix } from "./key-prefix.ts";
import type { RedisTopology } from "./target.ts";

/**
 * Keys of one kind, and what is called on each of them: commands with arguments, of which `$` is the key. `pattern`: as an
 * ACL line names these keys; null: the calls name no key. `keys`: one for each part of the layout. None exists, but for the
 * second in which it is tried.
 */
export interface NeededRights {
  readonly pattern: string | null;
  readonly keys: readonly string[];
  readonly calls: readonly (readonly string[])[];
}

const toCalls = (text: string): NeededRights["calls"] =>
  text
    .trim()
    .split(/\s*[;\n]\s*/)
    .map((call) => call.split(" "));

/**
 * Every command that our scripts or the queue's use, as the ACL line of docs/redis.md has them; a test holds all
 * three together. Each is harmless: `set` comes first, so what needs another type than text is refused, after
 * its rights were looked at. What could remove the key comes last.
 */
const onKeys = toCalls(`
  set $ 1 PX 1000; bzpopmin $ 0.001; exists $; get $; incr $; incrby $ 1; mget $; persist $; pttl $; type $
  hdel $ f; hexists $ f; hget $ f; hgetall $; hincrby $ f 1; hlen $; hmget $ f; hmset $ f 1; hset $ f 1; hsetnx $ f 1
  hvals $; lindex $ 0; llen $; lpop $; lpos $ e; lpush $ e; lrange $ 0 0; lrem $ 0 e; lset $ 0 e; ltrim $ 0 0; rpop $
  rpoplpush $ $; rpush $ e; sadd $ e; scard $; sismember $ e; smembers $; srem $ e; xadd $ * f 1; xdel $ 1-1; xlen $
  xrange $ - + COUNT 1; xread COUNT 1 STREAMS $ 0; xrevrange $ + - COUNT 1; xtrim $ MAXLEN 1; zadd $ 1 e; zcard $
  zcount $ 0 0; zlexcount $ - +; zpopmin $; zrange $ 0 0; zrangebylex $ - +; zrangebyscore $ 0 0; zrank $ e; zrem $ e
  zremrangebyrank $ 0 0; zremrangebyscore $ 0 0; zrevrange $ 0 0; zrevrangebyscore $ 0 0; zscan $ 0; zscore $ e
  pexpire $ 1000; rename $ $; pexpireat $ 1; unlink $; del $
`);
const withoutKeys = toCalls("eval x 0; evalsha x 0; info; time; client setname x");
const inCluster = toCalls("cluster info; cluster slots; asking; readonly");
const withDatabase = toCalls("select 1");

/** A part of a name that no stored key has. */
const probe = "preflight";

export function toNeededRights(
  keyPrefix: string,
  sources: readonly string[],
  { topology, hasDatabase }: { readonly topology: RedisTopology; readonly hasDatabase: boolean },
): readonly NeededRights[] {
  const queuePrefix = toQueuePrefix(keyPrefix);
  return [
    {
      pattern: null,
      keys: [""],
      calls: [
        ...withoutKeys,
        ...(topology === "cluster" ? inCluster : []),
        ...(hasDatabase ? withDatabase : []),
      ],
    },
    {
      pattern: `~${keyPrefix}:*`,
      keys: [sharedKey(keyPrefix, probe), ...sources.map((source) => sourceKey(keyPrefix, source, probe))],
      calls: onKeys,
    },
    {
      pattern: `~${queuePrefix}:*`,
      keys: queueKinds.map((kind) => `${queuePrefix}:${toQueueName(keyPrefix, kind)}:${probe}`),
      calls: onKeys,
    },
  ];
}
