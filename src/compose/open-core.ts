import { formatProblem } from "../config/problem.ts";
import { readLineageKey, readSecret } from "../config/read-secret.ts";
import type { Settings } from "../config/settings/settings.ts";
import type { DrainsDocument } from "../ports/drains.ts";
import { RedriverError } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import { createRedis } from "../redis/connect.ts";
import { findRedisProblems } from "../redis/preflight.ts";
import type { RedisConnection } from "../redis/connect.ts";
import { buildCore, type Core } from "./build-core.ts";
import { randomIdentities, systemClock } from "./system-world.ts";
import type { Teardown } from "./teardown.ts";

export interface OpenParts {
  readonly settings: Settings;
  readonly document: DrainsDocument;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly events: Events;
  readonly teardown: Teardown;
  /** Told of secrets that are read, so that logs can leave them out. */
  readonly onSecret?: (value: string) => void;
}

/** Connects to Redis in the background and builds the document's sources and drains on it. Calls nobody yet. */
export function openCore({ settings, document, env, events, teardown, onSecret }: OpenParts): Core {
  const redis = createRedis(settings.redis.url, { role: "commands", keyPrefix: settings.redis.keyPrefix });
  teardown.add("redis", () => redis.close());
  const key = readLineageKey(settings);
  if (!key.ok) throw new RedriverError("settings-invalid", formatProblem(key.problem));
  if (key.value !== undefined) onSecret?.(key.value);
  return buildCore({
    settings,
    document,
    redis,
    teardown,
    world: { clock: systemClock, identities: randomIdentities, events },
    readSecret: (ref) => readSecret(ref, { env, settings }),
    lineage: { key: key.value, oldKeys: settings.lineage.oldKeys },
  });
}

const connectWithinMs = 5_000;

/** For commands in the foreground: Redis must answer and be fit for a ledger now. Throws with the setting to change. */
export async function requireRedis(redis: RedisConnection): Promise<void> {
  try {
    await redis.ready(connectWithinMs);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RedriverError("redis-unavailable", `${why}; set redis.url (REDRIVER_REDIS_URL)`, { cause });
  }
  const problems = (await findRedisProblems(redis)).filter(({ weight }) => weight === "refuse");
  if (problems.length > 0) {
    throw new RedriverError("redis-unsuitable", problems.map(({ message }) => message).join("; "));
  }
}
