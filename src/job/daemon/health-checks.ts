import type { Core } from "../compose/build-core.ts";
import type { SourceId } from "../contracts/ids.ts";
import type { RedisConnection } from "../redis/connect.ts";
import type { RedisProblem } from "../redis/judge-server.ts";
import type { Health } from "../source/source-health.ts";

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
    const drops = [...core.drains.values()]
      .map(({ config }) => config)
      .filter(
        ({ mode, paused, rules }) => mode === "live" && !paused && rules.some(({ then }) => then === "drop"),
      )
      .map(({ name }) => name);
    // Without drops only copies before an expiry fail. They have an alert, and keep the replica in service.
    if (drops.length > 0) {
      reasons.push(`${archiveProblem}; until then what ${drops.join(", ")} would drop is held`);
    }
  }
  const health = [...core.sources.values()].map(({ runtime }) => ({
    id: runtime.config.id,
    // A source that may not be published through drains nothing, even if everything else works.
    now: runtime.health.standing(),
  }));
  if (health.length > 0 && health.every(({ now }) => now.state === "halted")) {
    for (const { id, now } of health) {
      if (now.state === "halted") reasons.push(toHaltReason(id, now));
    }
  }
  return { ok: reasons.length === 0, reasons };
}

/** The reason as logged at the halt, with the page of the docs that explains it. */
function toHaltReason(
  id: SourceId,
  { callClass, code, message }: Extract<Health, { state: "halted" }>,
): string {
  const what = callClass === "batch" ? "is halted for publishing" : "is halted";
  return `source ${id} ${what}: ${message} (${code}; see docs/errors.md)`;
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
  if (readySince === null) return { ok: true, reasons: [] };
  const since = Math.max(readySince, lastProgressAt ?? 0);
  if (now - since <= maxSilenceMs) return { ok: true, reasons: [] };
  return {
    ok: false,
    reasons: [
      `no worker has asked for a job, or finished one, for ${Math.round((now - since) / 1_000)} s while Redis answers`,
    ],
  };
}
