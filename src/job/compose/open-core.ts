import { formatProblem } from "../../config/problem.ts";
import { readLineageKey, readSecret } from "../../config/read-secret.ts";
import type { Settings } from "../../config/settings/settings.ts";
import { createRedisPlanBook } from "../store/plans/redis-plan-book.ts";
import { createRedisReplicas } from "../store/replicas/redis-replicas.ts";
import type { DrainsDocument } from "../contracts/drains-document.ts";
import type { ObserveAudit } from "../contracts/audit.ts";
import { isRedisAway, RedriverError } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import { createRedis } from "../redis/connect.ts";
import { checkFitness } from "../redis/check-fitness-and-room.ts";
import { findMissingRights } from "../redis/find-missing-rights.ts";
import type { RedisConnection } from "../redis/connect.ts";
import { buildCore, type Core, type CoreParts } from "./build-core.ts";
import type { Decorate } from "./build-source.ts";
import { createLiveCore, type LiveCore } from "./live-core.ts";
import { withoutLedger } from "./without-ledger.ts";
import { createProcessMemory } from "./memory-budget.ts";
import { randomIdentities, replicaName, systemClock } from "../../system-world.ts";
import type { Teardown } from "../../teardown.ts";

export interface OpenParts {
  readonly settings: Settings;
  readonly document: DrainsDocument;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly events: Events;
  readonly teardown: Teardown;
  /** Who acts, for the audit: a person's name; default: this process, as a daemon. */
  readonly by?: string;
  readonly onAudit?: ObserveAudit;
  /** For commands without a daemon: a guard takes a missing reading of an index itself. */
  readonly readsIndexes?: boolean;
  /** Called with secrets that are read, so that logs can leave them out. */
  readonly onSecret?: (value: string) => void;
  readonly decorate?: Decorate;
}

/** Connects to Redis in the background and builds the document's sources and drains. Calls no service yet. */
export function openCore(parts: OpenParts): Core {
  return buildCore(toCoreParts(parts, "command"), parts.document);
}

export function openLiveCore(parts: OpenParts): LiveCore {
  return createLiveCore(toCoreParts(parts, "daemon"), parts.document);
}

function toCoreParts(parts: OpenParts, role: "daemon" | "command"): CoreParts {
  const { settings, env, events, teardown, onSecret, by, onAudit, readsIndexes, decorate } = parts;
  const redis = createRedis(settings.redis.target, { role: "commands", keyPrefix: settings.redis.keyPrefix });
  teardown.add("redis", () => redis.close());
  const key = readLineageKey(settings);
  if (!key.ok) throw new RedriverError("settings-invalid", formatProblem(key.problem));
  if (key.value !== undefined) onSecret?.(key.value);
  return {
    settings,
    redis,
    replicas: createRedisReplicas(redis),
    plans: createRedisPlanBook(redis),
    teardown,
    memory: createProcessMemory(settings, parts.document.sources.length, role),
    world: { clock: systemClock, identities: randomIdentities, events, by: by ?? `daemon ${replicaName()}` },
    ...(onAudit === undefined ? {} : { onAudit }),
    ...(readsIndexes === undefined ? {} : { readsIndexes }),
    ...(decorate === undefined ? {} : { decorate }),
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
      `${what}; is it up, and may it be reached from here? its address is redis.url (REDRIVER_REDIS_URL)`,
      { cause },
    );
  }
}

/**
 * For commands that only list and decide: as `requireRedis`, but if nobody has named a Redis and none is on this
 * machine, they go on without a ledger.
 */
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
