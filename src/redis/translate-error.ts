import { RedriverError, isRedriverError, type ErrorCode } from "../ports/errors.ts";

interface Meaning {
  readonly code: ErrorCode;
  /** What a person does about it. */
  readonly fix: string;
}

const login = "give redis.url a user that may use keys, scripts and INFO (docs/redis.md has the ACL line)";
const topology = "set redis.cluster (REDRIVER_REDIS_CLUSTER) to true: this is a node of a cluster";

/**
 * First word of a server's refusal → what it means. `redis-unavailable` ends when Redis is well again, and the command did nothing;
 * `redis-unsuitable` needs a person.
 */
const refusals: Readonly<Record<string, Meaning>> = {
  LOADING: { code: "redis-unavailable", fix: "it is loading its data; wait until it has" },
  MASTERDOWN: { code: "redis-unavailable", fix: "its master is away; bring it back or promote a replica" },
  READONLY: {
    code: "redis-unavailable",
    fix: "it is a replica; point redis.url at the primary, or name its Sentinels in redis.sentinels",
  },
  OOM: {
    code: "redis-unavailable",
    fix: "maxmemory is reached; raise it (CONFIG SET maxmemory …), or remove what else is in this Redis",
  },
  MISCONF: {
    code: "redis-unavailable",
    fix: "it cannot write its snapshot and refuses writes; free its disk",
  },
  NOREPLICAS: {
    code: "redis-unavailable",
    fix: "too few replicas follow it (min-replicas-to-write); bring them back",
  },
  CLUSTERDOWN: {
    code: "redis-unavailable",
    fix: "some slots of the cluster have no master; see CLUSTER NODES",
  },
  TRYAGAIN: { code: "redis-unavailable", fix: "a slot of the cluster is being moved; wait until it is" },
  BUSY: { code: "redis-unavailable", fix: "a script runs for long; see SLOWLOG" },
  UNBLOCKED: { code: "redis-unavailable", fix: "it became a replica; see redis.url" },
  NOSCRIPT: { code: "redis-unavailable", fix: "it forgot a script; it is sent again" },
  MOVED: { code: "redis-unsuitable", fix: topology },
  ASK: { code: "redis-unsuitable", fix: topology },
  CROSSSLOT: { code: "redis-unsuitable", fix: topology },
  NOAUTH: { code: "redis-unsuitable", fix: login },
  WRONGPASS: { code: "redis-unsuitable", fix: login },
  NOPERM: { code: "redis-unsuitable", fix: login },
  DENIED: { code: "redis-unsuitable", fix: login },
};

/** Refusals that start with ERR, by what they say. */
const generalRefusals: readonly (readonly [RegExp, Meaning])[] = [
  // Redis says so of a script whose entries are on their way to another node. The read before the write fails: nothing is half done.
  [
    /non local key in a cluster node/,
    { code: "redis-unavailable", fix: "a slot of the cluster is being moved; wait until it is" },
  ],
  [
    /cluster support disabled/,
    {
      code: "redis-unsuitable",
      fix: "this is no cluster: set redis.cluster (REDRIVER_REDIS_CLUSTER) to false",
    },
  ],
  [
    /only (have|with) database 0|DB index is out of range|SELECT is not allowed in cluster mode/,
    { code: "redis-unsuitable", fix: "redis.url names a database that is not there" },
  ],
];

/**
 * An error of the client or a reply of the server → RedriverError: `redis-unavailable` when waiting can help (no connection, no
 * answer in time, loading, read-only, out of memory); `redis-unsuitable` when a person must act (login, permissions, another
 * topology); `invariant-broken` for a script that failed. Messages name host and command, never arguments.
 */
export function toRedisError(error: unknown, address: string, command: string): RedriverError {
  if (isRedriverError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const word = /^[A-Z]+/.exec(text)?.[0] ?? "";
  const isReply = error instanceof Error && error.name === "ReplyError";
  const detail = { cause: error };
  const known = refusals[word] ?? generalRefusals.find(([pattern]) => pattern.test(text))?.[1];
  if (known !== undefined) {
    const message = `Redis at ${address} refused ${command}: ${known === refusals[word] ? word : "ERR"}; ${known.fix}`;
    return new RedriverError(known.code, message, detail);
  }
  if (isReply) {
    const message = `Redis at ${address} failed ${command}: ${word || "error"}`;
    return new RedriverError("invariant-broken", message, detail);
  }
  if (text.startsWith("All sentinels are unreachable"))
    return toSentinelError(text, address, command, detail);
  const reason = toReason(error);
  const setting = isCertificateProblem(reason)
    ? "give redis.caFile the certificate of who signed the server's"
    : "see redis.url";
  return new RedriverError(
    "redis-unavailable",
    `Redis at ${address} did not answer ${command}: ${reason}; ${setting}`,
    detail,
  );
}

/** The library's text ends in what the last Sentinel said. */
function toSentinelError(
  text: string,
  address: string,
  command: string,
  detail: { readonly cause: unknown },
): RedriverError {
  const said = /Last error: (.*)$/.exec(text)?.[1];
  if (said === undefined || said.includes("No such master")) {
    const message = `Redis at ${address} did not answer ${command}: no Sentinel knows this master; see redis.sentinels and redis.sentinelName`;
    return new RedriverError("redis-unavailable", message, detail);
  }
  if (/\b(NOAUTH|WRONGPASS|NOPERM)\b/.test(said)) {
    const message = `Redis at ${address} did not answer ${command}: the Sentinels refused the login; see redis.sentinelUser and redis.sentinelPassword`;
    return new RedriverError("redis-unsuitable", message, detail);
  }
  const message = `Redis at ${address} did not answer ${command}: no Sentinel answers; see redis.sentinels`;
  return new RedriverError("redis-unavailable", message, detail);
}

function isCertificateProblem(reason: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(reason);
}

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "string") return code;
  if (/timed out/i.test(error.message)) return "timeout";
  if (/max retries/i.test(error.message)) return "connection lost";
  return "not connected";
}
