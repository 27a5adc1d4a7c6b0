import { isRedriverError } from "../ports/errors.ts";
import type { RedisConnection } from "./connect.ts";
import { sharedKey } from "./key-names.ts";
import { judgeServer, memoryShare, parseInfo, type RedisProblem } from "./judge-server.ts";

export interface RedisFitness {
  /**
   * Why this Redis must not, or should not, keep a ledger; empty when it is fit. Of a cluster each names its
   * node.
   */
  readonly problems: readonly RedisProblem[];
  /** Memory in use as a share of maxmemory, of the fullest master; null where none has a limit. */
  readonly memoryShare: number | null;
}

/**
 * Asks every master for INFO. INFO memory carries maxmemory_policy, so that CONFIG, which hosted Redis often
 * forbids, is only a fallback. Fails with `redis-unavailable`.
 */
export async function checkFitness(redis: RedisConnection): Promise<RedisFitness> {
  const masters = (await redis.askMasters("INFO")).map(({ address, reply }) => ({
    address,
    info: parseInfo(reply),
  }));
  const policies = masters.some(({ info }) => !info.has("maxmemory_policy"))
    ? await askPolicies(redis)
    : new Map<string, string>();
  const problems = masters.flatMap(({ address, info }) => {
    const policy = info.get("maxmemory_policy") ?? policies.get(address);
    return judgeServer({ info, policy }).map((problem) =>
      redis.topology === "cluster" ? { ...problem, message: `${address}: ${problem.message}` } : problem,
    );
  });
  const shares = masters.flatMap(({ info }) => memoryShare(info) ?? []);
  return {
    problems: [
      ...problems,
      ...(await judgeTopology(redis, masters)),
      ...(masters.some(({ info }) => mayRefuseWrites(info)) ? await tryWriting(redis) : []),
    ],
    memoryShare: shares.length === 0 ? null : Math.max(...shares),
  };
}

/**
 * A failed snapshot refuses every write where stop-writes-on-bgsave-error is yes, and too few replicas where
 * there are fewer than min-replicas-to-write; INFO shows neither setting, so one write is tried.
 */
function mayRefuseWrites(info: ReadonlyMap<string, string>): boolean {
  return info.get("rdb_last_bgsave_status") === "err" || info.has("min_slaves_good_slaves");
}

async function tryWriting(redis: RedisConnection): Promise<readonly RedisProblem[]> {
  try {
    await redis.command("SET", sharedKey(redis.keyPrefix, "preflight"), 1, "PX", 1_000);
    return [];
  } catch (error) {
    if (!isRedriverError(error)) throw error;
    return [{ kind: "not-writing", weight: "refuse", message: error.message }];
  }
}

async function judgeTopology(
  redis: RedisConnection,
  masters: readonly { readonly info: ReadonlyMap<string, string> }[],
): Promise<readonly RedisProblem[]> {
  if (redis.topology !== "cluster") {
    if (!masters.some(({ info }) => info.get("cluster_enabled") === "1")) return [];
    return [
      {
        kind: "other-topology",
        weight: "refuse",
        message:
          "expected a Redis of its own, got a node of a cluster: set redis.cluster (REDRIVER_REDIS_CLUSTER) to true",
      },
    ];
  }
  if (masters.length === 0) {
    const message = "expected masters in the cluster, found none; see CLUSTER NODES";
    return [{ kind: "no-master", weight: "refuse", message }];
  }
  const states = await redis.askMasters("CLUSTER", "INFO");
  const down = states.find(({ reply }) => parseInfo(reply).get("cluster_state") === "fail");
  if (down === undefined) return [];
  const message = `${down.address}: expected cluster_state:ok, got fail: some slots have no master; see CLUSTER NODES, bring the master back or promote its replica`;
  return [{ kind: "cluster-down", weight: "refuse", message }];
}

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
    // Forbidden or renamed: unknown is an answer here. Being away is not.
    if (isRedriverError(error) && error.code === "redis-unavailable") throw error;
    return new Map();
  }
}
