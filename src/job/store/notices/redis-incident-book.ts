import type { Incident, IncidentBook } from "../../contracts/notices.ts";
import type { StoreRedis } from "../connection-needs.ts";
import { sharedKey } from "../../redis/key-prefix.ts";

/** Two keys per target: its incident (JSON), which lives until it is over, and one while a process sends. */
export function createRedisIncidentBook(redis: StoreRedis): IncidentBook {
  const incidentOf = (target: string) => sharedKey(redis.keyPrefix, "notices", "incident", target);
  const sendingOf = (target: string) => sharedKey(redis.keyPrefix, "notices", "sending", target);
  return {
    async hold(target, forMs) {
      const sending = sendingOf(target);
      if ((await redis.command("SET", sending, "1", "PX", forMs, "NX")) !== null) return 0;
      return Math.max(1, Number(await redis.command("PTTL", sending)));
    },
    async letGo(target) {
      await redis.command("DEL", sendingOf(target));
    },
    async read(target) {
      const text = (await redis.command("GET", incidentOf(target))) as string | null;
      return text === null ? null : (JSON.parse(text) as Incident);
    },
    async write(target, incident) {
      await redis.command("SET", incidentOf(target), JSON.stringify(incident), "PXAT", incident.until);
    },
  };
}
