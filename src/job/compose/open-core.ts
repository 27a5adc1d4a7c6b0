import { formatProblem } from "../../config/problem.ts";
import { readLineageKey, readSecret } from "../../config/read-secret.ts";
import { createRedisPlanBook } from "../store/plans/redis-plan-book.ts";
import { createRedisReplicas } from "../store/replicas/redis-replicas.ts";
import { isRedisAway, RedriverError } from "../contracts/errors.ts";
import { createRedis, type RedisConnection } from "../redis/connect.ts";
import { checkFitness } from "../redis/check-fitness-and-room.ts";
import { findMissingRights } from "../redis/find-missing-rights.ts";
import { buildCore, type Core } from "./build-core.ts";
import type { OpenParts, ProcessParts } from "./build-source.ts";
import { createLiveCore, type LiveCore } from "./live-core.ts";
import { withoutLedger } from "./without-ledger.ts";
import { createProcessMemory } from "./memory-budget.ts";
import { randomIdentities, replicaName, systemClock } from "../../system-world.ts";

export type { OpenParts } from "./build-source.ts";

/** Connects to Redis in the background and builds the document's sources and drains. Calls no service yet. */
export function openCore(parts: OpenParts): Core {
  return buildCore(toProcessParts(parts, "command"), parts.document);
}

export function openLiveCore(parts: OpenParts): LiveCore {
  return createLiveCore(toProcessParts(parts, "daemon"));
}

function toProcessParts(parts: OpenParts, role: "daemon" | "command"): ProcessParts {
  const { settings, env, events, teardown, onSecret, by = `daemon ${replicaName()}` } = parts;
  const redis = createRedis(settings.redis.target, { role: "commands", keyPrefix: settings.redis.keyPrefix });
  teardown.add("redis", () => redis.close());
  const key = readLineageKey(settings);
  if (!key.ok) throw new RedriverError("settings-invalid", formatProblem(key.problem));
  if (key.value !== undefined) onSecret?.(key.value);
  return {
    ...parts,
    redis,
    replicas: createRedisReplicas(redis),
    plans: createRedisPlanBook(redis),
    memory: createProcessMemory(settings, parts.document.sources.length, role),
    world: { clock: systemClock, identities: randomIdentities, events, by },
    readSecret: (ref) => readSecret(ref, { env, settings }),
    lineage: { key: key.value, oldKeys: settings.lineage.oldKeys },
  };
}

/** A person waits: with the start and the end of a command, they know within three seconds. */
const connectWithinMs = 2_000;
/** On this machine an address answers or refuses at once. */
const unnamedWithinMs = 500;

/** Redis must answer now. Throws with the failing part, the reason and its setting. */
export async function reachRedis(redis: Pick<RedisConnection, "ready">): Promise<void> {
  try {
    await redis.ready(connectWithinMs);
  } catch (cause) {
    if (!isRedisAway(cause) || !(cause instanceof Error)) throw cause;
    const what = cause.message.replace(/; see redis\.url$/, "");
    // The other advice names its own setting.
    if (what === cause.message) throw cause;
    throw new RedriverError(
      "redis-unavailable",
      `${what}; is it up, may it be reached from here, and does it speak TLS (rediss://) or not? its address is redis.url (REDRIVER_REDIS_URL)`,
      { cause },
    );
  }
}

/** As `requireRedis`, but without a ledger if nobody has named a Redis and none is on this machine. */
export async function openLedger(core: Core): Promise<Core> {
  const { redis, settings } = core;
  const isThere = settings.redis.isGiven || (await redis.ready(unnamedWithinMs).then(() => true, isNotAway));
  if (!isThere) return withoutLedger(core);
  await requireRedis(core);
  return core;
}

function isNotAway(error: unknown): boolean {
  return !isRedisAway(error);
}

/** For commands in the foreground: Redis must also be fit for a ledger, and its user have every right. */
export async function requireRedis({ redis }: Pick<Core, "redis">): Promise<void> {
  await reachRedis(redis);
  const found = [...(await checkFitness(redis)).problems, ...(await findMissingRights(redis, []))];
  const problems = found.filter(({ weight }) => weight === "refuse");
  if (problems.length > 0) {
    throw new RedriverError("redis-unsuitable", problems.map(({ message }) => message).join("; "));
  }
}
