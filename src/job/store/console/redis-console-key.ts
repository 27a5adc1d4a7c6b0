import { sharedKey } from "../../redis/key-prefix.ts";
import type { StoreRedis } from "../connection-needs.ts";

/**
 * The key that signs what the console gives a browser: equal in all replicas, so that any of them takes what
 * another gave. `proposed` becomes the key if there is none. Throws `redis-unavailable`.
 */
export async function readConsoleKey(redis: StoreRedis, proposed: string): Promise<string> {
  const key = sharedKey(redis.keyPrefix, "console-key");
  const known = await redis.command("GET", key);
  if (typeof known === "string") return known;
  // Another replica may have been first.
  await redis.command("SET", key, proposed, "NX");
  return String(await redis.command("GET", key));
}
