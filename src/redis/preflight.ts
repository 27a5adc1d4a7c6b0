import { isRedriverError } from "../ports/errors.ts";
import type { RedisConnection } from "./connect.ts";

/** Why this Redis must not, or should not, keep a ledger. The message says what to do about it. */
export interface RedisProblem {
  readonly kind: "evicts" | "old-version" | "loading" | "replica" | "unreadable";
  /** `refuse`: publishing on it can double messages. `warn`: works, and is not what the ledger was measured on. */
  readonly weight: "refuse" | "warn";
  readonly message: string;
}

/**
 * Reads INFO and lists what is wrong with this Redis. INFO memory carries maxmemory_policy, so that CONFIG, which hosted
 * Redis often forbids, is only a fallback. Fails with `redis-unavailable`.
 */
export async function findRedisProblems(redis: RedisConnection): Promise<readonly RedisProblem[]> {
  const info = parseInfo(await redis.command("INFO"));
  const policy = info.get("maxmemory_policy") ?? (await askPolicy(redis));
  return toProblems(info, policy);
}

/** The judgement alone: INFO's fields and the eviction policy → problems. */
export function toProblems(
  info: ReadonlyMap<string, string>,
  policy: string | undefined,
): readonly RedisProblem[] {
  const problems: RedisProblem[] = [];
  if (policy === undefined) {
    problems.push({
      kind: "unreadable",
      weight: "warn",
      message:
        "expected to read maxmemory_policy from INFO memory or CONFIG GET, got neither; make sure it is noeviction, or allow INFO for this user",
    });
  } else if (policy !== "noeviction") {
    problems.push({
      kind: "evicts",
      weight: "refuse",
      message: `expected maxmemory-policy noeviction, got ${policy}: an evicted entry can double a message; run CONFIG SET maxmemory-policy noeviction, or use another Redis than the cache's`,
    });
  }
  const version = info.get("redis_version");
  if (version === undefined || isOlder(version, [6, 2])) {
    problems.push({
      kind: "old-version",
      // An older one refuses every entry of the audit (XADD with MINID), and so every act; one that hides its version may do.
      weight: version === undefined ? "warn" : "refuse",
      message: `expected Redis 6.2 or newer, got ${version ?? "no redis_version in INFO"}; upgrade the server`,
    });
  }
  if (info.get("loading") === "1" || info.get("async_loading") === "1") {
    problems.push({
      kind: "loading",
      weight: "refuse",
      message: "expected a Redis that has loaded its data, got loading:1; wait until it has",
    });
  }
  const role = info.get("role");
  if (role !== undefined && role !== "master") {
    problems.push({
      kind: "replica",
      weight: "refuse",
      message: `expected role:master, got role:${role}; point redis.url at the primary`,
    });
  }
  return problems;
}

/** `field:value` lines → map. Anything else is skipped. */
export function parseInfo(text: unknown): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  if (typeof text !== "string") return fields;
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0 && !line.startsWith("#")) fields.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return fields;
}

async function askPolicy(redis: RedisConnection): Promise<string | undefined> {
  try {
    const reply = await redis.command("CONFIG", "GET", "maxmemory-policy");
    const value: unknown = Array.isArray(reply) ? reply[1] : undefined;
    return typeof value === "string" ? value : undefined;
  } catch (error) {
    // Forbidden or renamed: unknown is an answer here. Being away is not.
    if (isRedriverError(error) && error.code === "redis-unavailable") throw error;
    return undefined;
  }
}

function isOlder(version: string, floor: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < floor[0] || (major === floor[0] && minor < floor[1]);
}
