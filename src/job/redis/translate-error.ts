import { RedriverError, isRedriverError, type ErrorCode } from "../contracts/errors.ts";

interface Meaning {
  readonly code: ErrorCode;
  readonly fix: string;
}

const away = (fix: string): Meaning => ({ code: "redis-unavailable", fix });
const unfit = (fix: string): Meaning => ({ code: "redis-unsuitable", fix });

const login = unfit(
  "give redis.url a user that may use keys, scripts and INFO (docs/redis.md has the ACL line)",
);
const inCluster = unfit("set redis.cluster (REDRIVER_REDIS_CLUSTER) to true: this is a node of a cluster");
const slotMoving = away("a slot of the cluster is being moved; wait until it is");
const slotElsewhere = away("a slot of the cluster is being moved, or its node is away; see CLUSTER NODES");

/** The meaning of a refusal by its first word. The command did nothing. */
const meanings: Readonly<Record<string, Meaning>> = {
  LOADING: away("it is loading its data; wait until it has"),
  MASTERDOWN: away("its master is away; bring it back or promote a replica"),
  READONLY: away("it is a replica; point redis.url at the primary, or name its Sentinels in redis.sentinels"),
  OOM: away("maxmemory is reached; raise it (CONFIG SET maxmemory …), or remove what else is in this Redis"),
  MISCONF: away("it cannot write its snapshot and refuses writes; free its disk"),
  NOREPLICAS: away("too few replicas follow it (min-replicas-to-write); bring them back"),
  CLUSTERDOWN: away("some slots of the cluster have no master; see CLUSTER NODES"),
  TRYAGAIN: slotMoving,
  BUSY: away("a script runs for long; see SLOWLOG"),
  UNBLOCKED: away("it became a replica; see redis.url"),
  EXECABORT: away("it refused a command of a transaction; see its log"),
  NOSCRIPT: away("it forgot a script; it is sent again"),
  MOVED: inCluster,
  ASK: inCluster,
  CROSSSLOT: inCluster,
  NOAUTH: unfit("it asks for a password: put it into redis.url, as redis://user:password@host"),
  WRONGPASS: unfit("it does not know this user with this password; correct redis.url"),
  DENIED: login,
};

/** A right that this user lacks, by the words of Redis 6.2 to 8: of a call, or of a call in a script. */
const denial =
  /^NOPERM\b|the user executing the script can't (run|access)|^(ERR )?ACL failure in script|has no permissions to/i;

/** True if Redis refused a call because its user lacks a right. */
export function isDenied(error: unknown): boolean {
  return denial.test(toReply(error));
}

/** The command that this user may not call, as ACL SETUSER takes it; null: it is keys, or Redis does not say. */
export function deniedRight(error: unknown): string | null {
  const name = /to run the '([\w|-]+)' command/i.exec(toReply(error))?.[1];
  return name === undefined ? null : `+${name.toLowerCase()}`;
}

function toReply(error: unknown): string {
  if (typeof error === "string") return error;
  if (!(error instanceof Error)) return "";
  return isRedriverError(error) ? toReply(error.cause) : error.message;
}

/** Refusals that start with ERR, by their text. */
const generalRefusals: readonly (readonly [RegExp, Meaning])[] = [
  // Redis reports it of a script whose entries are on their way to another node. The read before the write
  // fails: nothing is half done.
  [/non local key in a cluster node/, slotMoving],
  [/max number of clients/, away("maxclients is reached; raise it")],
  [
    /cluster support disabled/,
    unfit("this is no cluster: set redis.cluster (REDRIVER_REDIS_CLUSTER) to false"),
  ],
  [
    /unknown command/i,
    unfit(
      "it does not know it by this name: let redriver use INFO and the commands of docs/redis.md (rename-command), on Redis 6.2 or newer",
    ),
  ],
  [
    /only (have|with) database 0|DB index is out of range|SELECT is not allowed in cluster mode/,
    unfit("redis.url names a database that is not there"),
  ],
];

/** A cluster's client gives up after several redirections. Behind this stands the last answer. */
const askedInVain = /^Too many Cluster redirections\. Last error: (?:ReplyError: )?/;

/** Reads a refusal of the server by its words, the first of which is `word`; null if they are not known. */
export function findRefusal(text: string): (Meaning & { readonly word: string }) | null {
  const answer = text.replace(askedInVain, "");
  if (isDenied(answer)) {
    const right = deniedRight(answer);
    return { word: "NOPERM", ...login, fix: right === null ? login.fix : `${login.fix}: it lacks ${right}` };
  }
  const word = /^[A-Z]+/.exec(answer)?.[0] ?? "";
  const known = meanings[word];
  if (known === undefined) {
    const general = generalRefusals.find(([pattern]) => pattern.test(answer))?.[1];
    return general === undefined ? null : { word: "ERR", ...general };
  }
  // A client that follows redirections meets too many of them only while slots move, or lead to a node that is down.
  const isElsewhere = answer !== text && known.code !== "redis-unavailable";
  return { word, ...(isElsewhere ? slotElsewhere : known) };
}

/**
 * An error of the client or a reply of the server → RedriverError: `redis-unavailable` if waiting can help,
 * `redis-unsuitable` if a person must act, `invariant-broken` for a script that failed. Messages have address and
 * command, never arguments.
 */
export function toRedisError(error: unknown, address: string, command: string): RedriverError {
  if (isRedriverError(error)) return error;
  const text = error instanceof Error ? error.message : String(error);
  const detail = { cause: error };
  const refusal = findRefusal(text);
  if (refusal !== null) {
    const message = `Redis at ${address} refused ${command}: ${refusal.word}; ${refusal.fix}`;
    return new RedriverError(refusal.code, message, detail);
  }
  if (error instanceof Error && error.name === "ReplyError") {
    const message = `Redis at ${address} failed ${command}: ${/^[A-Z]+/.exec(text)?.[0] ?? "error"}`;
    return new RedriverError("invariant-broken", message, detail);
  }
  const isSentinels = text.startsWith("All sentinels are unreachable");
  const { code, fix } = isSentinels ? toSentinelMeaning(text) : away(toConnectionFix(error));
  return new RedriverError(code, `Redis at ${address} did not answer ${command}: ${fix}`, detail);
}

function toConnectionFix(error: unknown): string {
  const reason = toReason(error);
  return `${reason}; ${settingBehind(reason)}`;
}

/** The library's text ends with the last Sentinel's answer. */
function toSentinelMeaning(text: string): Meaning {
  const answer = /Last error: (.*)$/.exec(text)?.[1] ?? "No such master";
  if (answer.includes("No such master")) {
    return away("no Sentinel knows this master; see redis.sentinels and redis.sentinelName");
  }
  return /\b(NOAUTH|WRONGPASS|NOPERM)\b/.test(answer)
    ? unfit("the Sentinels refused the login; see redis.sentinelUser and redis.sentinelPassword")
    : away("no Sentinel answers; see redis.sentinels");
}

/** A TLS alert comes from the server. Any other complaint about a certificate is ours about the server's. */
function settingBehind(reason: string): string {
  if (reason.includes("_ALERT_")) {
    return "it refuses our certificate, or asks for one: see redis.certFile and redis.keyFile";
  }
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(reason)
    ? "give redis.caFile the certificate of who signed the server's"
    : "see redis.url";
}

/** The system's names of a connection's end, for a person. */
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
