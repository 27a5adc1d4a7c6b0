import type { Clock } from "../contracts/clock.ts";
import { isRedisSilent, isRedriverError, unlessRedisAway } from "../contracts/errors.ts";
import type { RedisConnection } from "./connect.ts";
import { sharedKey, sourceKey, toQueuePrefix } from "./key-prefix.ts";
import { judgeServer, memoryShare, parseInfo, type RedisProblem } from "./judge-server.ts";

export interface RedisFitness {
  /** Why this Redis must not, or should not, have a ledger. In a cluster each message names its node. */
  readonly problems: readonly RedisProblem[];
  /** Memory in use as a share of maxmemory, of the fullest master; null if none has a limit. */
  readonly memoryShare: number | null;
}

/**
 * Asks every master for INFO. INFO memory has maxmemory_policy, so CONFIG, which hosted Redis often forbids,
 * is only a fallback. Fails with `redis-unavailable`, also while a cluster moves the slot of the queues, or of one of these sources.
 */
export async function checkFitness(
  redis: RedisConnection,
  sources: readonly string[] = [],
): Promise<RedisFitness> {
  const replies = await redis.askMasters("INFO");
  const masters = replies.map(({ address, reply }) => ({ address, info: parseInfo(reply) }));
  const hidesPolicy = masters.some(({ info }) => !info.has("maxmemory_policy"));
  const policies = hidesPolicy ? await askPolicies(redis) : new Map<string, string>();
  const problems = masters.flatMap(({ address, info }) =>
    judgeServer(info, info.get("maxmemory_policy") ?? policies.get(address)).map((problem) =>
      redis.topology === "cluster" ? { ...problem, message: `${address}: ${problem.message}` } : problem,
    ),
  );
  problems.push(...(await judgeTopology(redis, masters, sources)));
  if (masters.some(({ info }) => mayRefuseWrites(info))) problems.push(...(await tryWriting(redis)));
  const shares = masters.flatMap(({ info }) => memoryShare(info) ?? []);
  return { problems, memoryShare: shares.length === 0 ? null : Math.max(...shares) };
}

/** Redis refuses every write after a failed snapshot, or with too few replicas. INFO shows neither setting. */
function mayRefuseWrites(info: ReadonlyMap<string, string>): boolean {
  return info.get("rdb_last_bgsave_status") === "err" || info.has("min_slaves_good_slaves");
}

/** ARGV[1]: a key. Writes it, with a number behind it that brings it into a slot of the node that is asked. */
const writeHere = `
for number = 1, 1000 do
  local reply = redis.pcall('SET', ARGV[1] .. number, 1, 'PX', 1000)
  if not (reply.err and string.find(reply.err, 'non local key', 1, true)) then return reply end
end
`;

async function tryWriting(redis: RedisConnection): Promise<readonly RedisProblem[]> {
  try {
    await redis.askMasters("EVAL", writeHere, 0, sharedKey(redis.keyPrefix, "preflight", ""));
    return [];
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    return [{ kind: "not-writing", weight: "refuse", message: error.message }];
  }
}

async function judgeTopology(
  redis: RedisConnection,
  masters: readonly { readonly info: ReadonlyMap<string, string> }[],
  sources: readonly string[],
): Promise<readonly RedisProblem[]> {
  if (redis.topology !== "cluster") {
    if (!masters.some(({ info }) => info.get("cluster_enabled") === "1")) return [];
    const message =
      "expected a Redis of its own, got a node of a cluster: set redis.cluster (REDRIVER_REDIS_CLUSTER) to true";
    return [{ kind: "other-topology", weight: "refuse", message }];
  }
  if (masters.length === 0) {
    const message = "expected masters in the cluster, found none; see CLUSTER NODES";
    return [{ kind: "no-master", weight: "refuse", message }];
  }
  const states = await redis.askMasters("CLUSTER", "INFO");
  const down = states.find(({ reply }) => parseInfo(reply).get("cluster_state") === "fail");
  if (down === undefined) {
    const { keyPrefix } = redis;
    const places = [toQueuePrefix(keyPrefix), ...sources.map((source) => sourceKey(keyPrefix, source))];
    await Promise.all(places.map((place) => askForTwoKeys(redis, place)));
    return [];
  }
  const message = `${down.address}: expected cluster_state:ok, got fail: some slots have no master; see CLUSTER NODES, bring the master back or promote its replica`;
  return [{ kind: "cluster-down", weight: "refuse", message }];
}

/** A slot that is moved in part refuses it, as it does scripts. */
const askForTwoKeys = (redis: RedisConnection, place: string): Promise<unknown> =>
  redis.command("EXISTS", `${place}:preflight:1`, `${place}:preflight:2`);

/** Policies by address, of the masters that show theirs. */
async function askPolicies(redis: RedisConnection): Promise<ReadonlyMap<string, string>> {
  try {
    const replies = await redis.askMasters("CONFIG", "GET", "maxmemory-policy");
    return new Map(
      replies.flatMap(({ address, reply }) => {
        const value: unknown = Array.isArray(reply) ? reply[1] : undefined;
        return typeof value === "string" ? [[address, value] as const] : [];
      }),
    );
  } catch (error) {
    // A forbidden or renamed command leaves the policy unknown.
    if (isRedisSilent(error)) throw error;
    return new Map();
  }
}

/** The memory is asked for this often, */
const knownForMs = 5_000;
/** and nobody waits for the answer while an earlier one that found room is no older than this. */
const trustedForMs = 2 * knownForMs;

/**
 * True if Redis has room for new entries of a ledger; asked at most every 5 s. Also true while Redis is away:
 * the next call reports that itself.
 */
export function createRoomCheck(
  redis: RedisConnection,
  clock: Pick<Clock, "monotonic">,
): () => Promise<boolean> {
  let asked: { readonly at: number; readonly hasRoom: Promise<boolean> } | null = null;
  let roomFoundAt = -Infinity;
  const ask = async (at: number): Promise<boolean> => {
    const fitness = await unlessRedisAway(() => checkFitness(redis), null);
    if (fitness === null) {
      asked = null;
      return true;
    }
    const hasRoom = !fitness.problems.some(({ kind }) => kind === "almost-full");
    roomFoundAt = hasRoom ? at : -Infinity;
    return hasRoom;
  };
  return () => {
    const now = clock.monotonic();
    if (asked === null || now - asked.at >= knownForMs) {
      asked = { at: now, hasRoom: ask(now) };
      // A caller that does not wait meets no failure. The next one does.
      asked.hasRoom.catch(() => (roomFoundAt = -Infinity));
    }
    return now - roomFoundAt < trustedForMs ? Promise.resolve(true) : asked.hasRoom;
  };
}
