import { RedriverError, isRedriverError, type ErrorCode } from "../ports/errors.ts";

interface Meaning {
  readonly code: ErrorCode;
  /** What a person does about it. */
  readonly fix: string;
}

const login = "give redis.url a user that may use keys, scripts and INFO (docs/redis.md has the ACL line)";
const topology = "set redis.cluster (REDRIVER_REDIS_CLUSTER) to true: this is a node of a cluster";
const slotMoving: Meaning = {
  code: "redis-unavailable",
  fix: "a slot of the cluster is being moved; wait until it is",
};

/** Refusals that end when Redis is well again. The command did nothing. */
const unavailable: Readonly<Record<string, string>> = {
  LOADING: "it is loading its data; wait until it has",
  MASTERDOWN: "its master is away; bring it back or promote a replica",
  READONLY: "it is a replica; point redis.url at the primary, or name its Sentinels in redis.sentinels",
  OOM: "maxmemory is reached; raise it (CONFIG SET maxmemory …), or remove what else is in this Redis",
  MISCONF: "it cannot write its snapshot and refuses writes; free its disk",
  NOREPLICAS: "too few replicas follow it (min-replicas-to-write); bring them back",
  CLUSTERDOWN: "some slots of the cluster have no master; see CLUSTER NODES",
  TRYAGAIN: slotMoving.fix,
  BUSY: "a script runs for long; see SLOWLOG",
  UNBLOCKED: "it became a replica; see redis.url",
  EXECABORT: "it refused a command of a transaction; see its log",
  NOSCRIPT: "it forgot a script; it is sent again",
};

/** Refusals that need a person. */
const unsuitable: Readonly<Record<string, string>> = {
  MOVED: topology,
  ASK: topology,
  CROSSSLOT: topology,
  NOAUTH: login,
  WRONGPASS: login,
  NOPERM: login,
  DENIED: login,
};

/** What the first word of a refusal means. */
function meaningOf(word: string): Meaning | null {
  const wait = unavailable[word];
  if (wait !== undefined) return { code: "redis-unavailable", fix: wait };
  const fix = unsuitable[word];
  return fix === undefined ? null : { code: "redis-unsuitable", fix };
}

/** Refusals that start with ERR, by what they say. */
const generalRefusals: readonly (readonly [RegExp, Meaning])[] = [
  // Redis says so of a script whose entries are on their way to another node. The read before the write
  // fails: nothing is half done.
  [/non local key in a cluster node/, slotMoving],
  [/max number of clients/, { code: "redis-unavailable", fix: "maxclients is reached; raise it" }],
  [
    /cluster support disabled/,
    {
      code: "redis-unsuitable",
      fix: "this is no cluster: set redis.cluster (REDRIVER_REDIS_CLUSTER) to false",
    },
  ],
  [
    /unknown command/i,
    {
      code: "redis-unsuitable",
      fix: "it does not know it by this name: let redriver use INFO and the commands of docs/redis.md (rename-command), on Redis 6.2 or newer",
    },
  ],
  [
    /only (have|with) database 0|DB index is out of range|SELECT is not allowed in cluster mode/,
    { code: "redis-unsuitable", fix: "redis.url names a database that is not there" },
  ],
];

/**
 * What the client says of a cluster that it asked again and again; what was answered last stands behind it.
 */
const askedInVain = /^Too many Cluster redirections\. Last error: (?:ReplyError: )?/;

export interface Refusal extends Meaning {
  /** The refusal's first word. */
  readonly word: string;
}

/** What a refusal of the server means, by its own words; null where they are not known. */
export function findRefusal(text: string): Refusal | null {
  const said = text.replace(askedInVain, "");
  const word = /^[A-Z]+/.exec(said)?.[0] ?? "";
  const known = meaningOf(word);
  if (known === null) {
    const general = generalRefusals.find(([pattern]) => pattern.test(said))?.[1];
    return general === undefined ? null : { word: "ERR", ...general };
  }
  // A client that follows redirections meets too many of them only while slots move.
  const isMoving = said !== text && known.code !== "redis-unavailable";
  return { word, ...(isMoving ? slotMoving : known) };
}

/**
 * An error of the client or a reply of the server → RedriverError: `redis-unavailable` when waiting can help
 * (no connection, no answer in time, loading, read-only, out of memory); `redis-unsuitable` when a person
 * must act (login, permissions, another topology); `invariant-broken` for a script that failed. Messages name
 * host and command, never arguments.
 */
export function toRedisError(error: unknown, address: string, command: string): RedriverError {
  if (isRedriverError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const isReply = error instanceof Error && error.name === "ReplyError";
  const detail = { cause: error };
  const refusal = findRefusal(text);
  if (refusal !== null) {
    const message = `Redis at ${address} refused ${command}: ${refusal.word}; ${refusal.fix}`;
    return new RedriverError(refusal.code, message, detail);
  }
  if (isReply) {
    const message = `Redis at ${address} failed ${command}: ${/^[A-Z]+/.exec(text)?.[0] ?? "error"}`;
    return new RedriverError("invariant-broken", message, detail);
  }
  const isSentinels = text.startsWith("All sentinels are unreachable");
  const { code, fix } = isSentinels ? toSentinelMeaning(text) : toConnectionMeaning(error);
  return new RedriverError(code, `Redis at ${address} did not answer ${command}: ${fix}`, detail);
}

function toConnectionMeaning(error: unknown): Meaning {
  const reason = toReason(error);
  return { code: "redis-unavailable", fix: `${reason}; ${settingBehind(reason)}` };
}

/** The library's text ends in what the last Sentinel said. */
function toSentinelMeaning(text: string): Meaning {
  const said = /Last error: (.*)$/.exec(text)?.[1];
  if (said === undefined || said.includes("No such master")) {
    const fix = "no Sentinel knows this master; see redis.sentinels and redis.sentinelName";
    return { code: "redis-unavailable", fix };
  }
  if (/\b(NOAUTH|WRONGPASS|NOPERM)\b/.test(said)) {
    const fix = "the Sentinels refused the login; see redis.sentinelUser and redis.sentinelPassword";
    return { code: "redis-unsuitable", fix };
  }
  return { code: "redis-unavailable", fix: "no Sentinel answers; see redis.sentinels" };
}

/**
 * A TLS alert comes from the server; every other complaint about a certificate is ours about the server's.
 */
function settingBehind(reason: string): string {
  if (reason.includes("_ALERT_")) {
    return "it refuses our certificate, or asks for one: see redis.certFile and redis.keyFile";
  }
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(reason)
    ? "give redis.caFile the certificate of who signed the server's"
    : "see redis.url";
}

/** What the system's names of a connection's end mean, for a person. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name server does not answer",
  ETIMEDOUT: "no connection in time",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was reset",
  EHOSTUNREACH: "there is no way to this host",
  ENETUNREACH: "there is no way to this network",
};

function toReason(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const code: unknown = "code" in error ? error.code : undefined;
  if (typeof code === "string") return reasons[code] === undefined ? code : `${reasons[code]} (${code})`;
  if (/timed out/i.test(error.message)) return "timeout";
  if (/max retries/i.test(error.message)) return "connection lost";
  return "not connected";
}
