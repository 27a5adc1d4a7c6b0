import type { Incident, IncidentBook } from "../../contracts/notices.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { incidentKeys } from "../keys.ts";

/** Two keys per target: its incident (JSON), which lives until it is over, and one while a process sends. */
export function createRedisIncidentBook(redis: StoreRedis): IncidentBook {
  const keysOf = (target: string) => incidentKeys(redis.keyPrefix, target);
  return {
    async hold(target, forMs) {
      const { sending } = keysOf(target);
      if ((await redis.command("SET", sending, "1", "PX", forMs, "NX")) !== null) return 0;
      return Math.max(1, Number(await redis.command("PTTL", sending)));
    },
    async letGo(target) {
      await redis.command("DEL", keysOf(target).sending);
    },
    async read(target) {
      const text = (await redis.command("GET", keysOf(target).incident)) as string | null;
      return text === null ? null : (JSON.parse(text) as Incident);
    },
    async write(target, incident) {
      await redis.command("SET", keysOf(target).incident, JSON.stringify(incident), "PXAT", incident.until);
    },
  };
}
