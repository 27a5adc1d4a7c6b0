/** A fault of a Redis server, by its own answers. */
export interface RedisProblem {
  readonly kind: RedisProblemKind;
  readonly weight: RedisProblemWeight;
  /** With the fix. */
  readonly message: string;
}

export type RedisProblemKind =
  | "evicts"
  | "old-version"
  | "loading"
  | "replica"
  | "unreadable"
  | "almost-full"
  | "no-master"
  | "not-writing"
  | "other-topology"
  | "cluster-down"
  | "missing-right";

/**
 * `refuse`: publishing on it can double messages, or nothing can be written. `hold`: nothing new is begun,
 * and begun work is finished. `warn`: it works, but the ledger was not measured on such a server.
 */
export type RedisProblemWeight = "refuse" | "hold" | "warn";

/** From this share of maxmemory on nothing new is begun. The remaining memory serves to finish begun work. */
const almostFullAt = 0.9;

type Info = ReadonlyMap<string, string>;

export function judgeServer(info: Info, policy: string | undefined): readonly RedisProblem[] {
  const problems: RedisProblem[] = [];
  const found = (kind: RedisProblemKind, message: string, weight: RedisProblemWeight = "refuse") =>
    problems.push({ kind, weight, message });
  if (policy === undefined) {
    const message =
      "expected to read maxmemory_policy from INFO memory or CONFIG GET, got neither; make sure it is noeviction, or allow INFO for this user";
    found("unreadable", message, "warn");
  } else if (policy !== "noeviction") {
    found(
      "evicts",
      `expected maxmemory-policy noeviction, got ${policy}: an evicted entry can double a message; run CONFIG SET maxmemory-policy noeviction, or use another Redis than the cache's`,
    );
  }
  // An older server refuses every entry of the audit (XADD with MINID), and so every act. One that hides its version may
  // be new enough.
  const version = info.get("redis_version");
  if (version === undefined || isOlder(version, [6, 2])) {
    const message = `expected Redis 6.2 or newer, got ${version ?? "no redis_version in INFO"}; upgrade the server`;
    found("old-version", message, version === undefined ? "warn" : "refuse");
  }
  if (info.get("loading") === "1" || info.get("async_loading") === "1") {
    found("loading", "expected a Redis that has loaded its data, got loading:1; wait until it has");
  }
  const role = info.get("role") ?? "master";
  if (role !== "master") {
    found(
      "replica",
      `expected role:master, got role:${role}; point redis.url at the primary, or name its Sentinels in redis.sentinels`,
    );
  }
  if (info.get("aof_enabled") === "1" && info.get("aof_last_write_status") === "err") {
    found(
      "not-writing",
      "expected aof_last_write_status:ok, got err: Redis cannot write its file and refuses writes; free its disk",
    );
  }
  const share = memoryShare(info) ?? 0;
  if (share >= almostFullAt) {
    const message = `expected less than ${Math.round(almostFullAt * 100)} % of maxmemory in use, got ${Math.round(share * 100)} %: nothing new is begun, what is begun is finished; raise maxmemory (CONFIG SET maxmemory …), or remove what else is in this Redis`;
    found("almost-full", message, "hold");
  }
  return problems;
}

/** Used memory as a share of maxmemory, counted as Redis does before it refuses a write; null: no limit. */
export function memoryShare(info: Info): number | null {
  const max = Number(info.get("maxmemory") ?? 0);
  const used = Number(info.get("used_memory") ?? Number.NaN);
  if (!(max > 0) || Number.isNaN(used)) return null;
  return (used - Number(info.get("mem_not_counted_for_evict") ?? 0)) / max;
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

function isOlder(version: string, floor: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < floor[0] || (major === floor[0] && minor < floor[1]);
}
