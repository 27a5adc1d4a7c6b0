import { formatProblem } from "../../config/problem.ts";
import type { Settings } from "../../config/settings/settings.ts";
import type { IndexConfig } from "../contracts/drains-document.ts";
import { RedriverError } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { IndexStatistics } from "../contracts/index-statistics.ts";
import type { RedisConnection } from "../redis/connect.ts";
import { createStatisticsClient } from "../statistics/index-statistics-client.ts";
import { createIndexReadings } from "../statistics/last-index-readings.ts";
import { createRedisStatisticsStore } from "../store/statistics/redis-statistics-store.ts";
import type { ReadSecret } from "../../config/read-secret.ts";
import { systemClock } from "../../system-world.ts";

/** Reads one index. Throws `settings-invalid` if its credentials are missing, else as the client does. */
export function createReadIndex(settings: Settings, readSecret: ReadSecret) {
  const client = createStatisticsClient({
    baseUrl: settings.statistics.url,
    timeoutMs: settings.statistics.timeoutMs,
    clock: systemClock,
    egress: settings.proxy,
  });
  return async (index: IndexConfig, signal: AbortSignal): Promise<IndexStatistics> => {
    const user = readSecret(index.user);
    const password = readSecret(index.password);
    if (!user.ok || !password.ok) {
      const problems = [user, password].flatMap((one) => (one.ok ? [] : [one.problem]));
      throw new RedriverError(
        "settings-invalid",
        `index ${index.name} has no credentials: ${problems.map(formatProblem).join("; ")}`,
      );
    }
    return client.read(index, { user: user.value, password: password.value }, signal);
  };
}

export function buildIndexReadings(
  redis: RedisConnection,
  settings: Settings,
  readSecret: ReadSecret,
  events: Events,
) {
  const store = createRedisStatisticsStore(redis);
  const read = createReadIndex(settings, readSecret);
  return createIndexReadings({ store, read, clock: systemClock, events });
}
