import type { Core } from "../compose/build-core.ts";
import type { RedisConnection } from "../redis/connect.ts";
import type { RedisProblem } from "../redis/judge-server.ts";

export interface HealthReport {
  readonly ok: boolean;
  readonly reasons: readonly string[];
}

export interface DaemonState {
  /** Problems that prevent work (refuse) or new work (hold); null: not checked yet. */
  redisProblems: readonly RedisProblem[] | null;
  /** Unix ms of the last time the schedules were written; null: never. */
  schedulesAppliedAt: number | null;
  stopping: boolean;
}

/**
 * Ready: the document is loaded, Redis answers and is fit for a ledger, the schedules are written, a source
 * can be used, and the archive can store what live drains drop. `archiveProblem`: why the archive cannot be
 * written; null if it can, or there is none. `standstills`: drains that move nothing although they could.
 */
export function toReadiness(
  core: Core,
  redis: RedisConnection,
  state: DaemonState,
  archiveProblem: string | null,
  standstills: readonly string[] = [],
): HealthReport {
  const reasons: string[] = [...standstills];
  if (state.stopping) reasons.push("stopping");
  const away = redis.whyAway();
  if (away !== null) reasons.push(`${away} (redis.url, REDRIVER_REDIS_URL)`);
  reasons.push(...(state.redisProblems ?? []).map(({ message }) => message));
  if (state.schedulesAppliedAt === null) reasons.push("the schedules have not been written yet");
  if (archiveProblem !== null) {
    const drops = [...core.drains.values()].flatMap(({ config: { name, mode, paused, rules } }) =>
      mode === "live" && !paused && rules.some(({ then }) => then === "drop") ? [name] : [],
    );
    // Without drops only copies before an expiry fail. They have an alert, and keep the replica in service.
    if (drops.length > 0) {
      reasons.push(`${archiveProblem}; until then what ${drops.join(", ")} would drop is held`);
    }
  }
  const halts = [...core.sources.values()].flatMap(({ runtime: { config, health } }) => {
    // A source that may not be published through drains nothing, even if everything else works.
    const now = health.standing();
    if (now.state !== "halted") return [];
    const what = now.callClass === "batch" ? "is halted for publishing" : "is halted";
    return [`source ${config.id} ${what}: ${now.message} (${now.code}; see docs/errors.md)`];
  });
  if (halts.length === core.sources.size) reasons.push(...halts);
  return { ok: reasons.length === 0, reasons };
}

/**
 * Alive: workers take or finish jobs while Redis answers. Never a ping, and never Redis or the service
 * themselves: their outage must not restart every replica. `readySince`: Unix ms from which Redis has
 * answered without a break; null: it does not.
 */
export function toLiveness(
  now: number,
  readySince: number | null,
  lastProgressAt: number | undefined,
  maxSilenceMs: number,
): HealthReport {
  const silentMs = readySince === null ? 0 : now - Math.max(readySince, lastProgressAt ?? 0);
  if (silentMs <= maxSilenceMs) return { ok: true, reasons: [] };
  const silentS = Math.round(silentMs / 1_000);
  const reason = `no worker has asked for a job, or finished one, for ${silentS} s while Redis answers`;
  return { ok: false, reasons: [reason] };
}
