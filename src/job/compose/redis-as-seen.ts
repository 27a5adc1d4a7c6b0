/** What is seen of Redis from here, for a person. Changes nothing. */
import { isRedisSilent } from "../contracts/errors.ts";
import type { QueueFacts } from "../contracts/queue-facts.ts";
import { checkFitness } from "../redis/check-fitness-and-room.ts";
import { findMissingRights } from "../redis/find-missing-rights.ts";
import { parseInfo } from "../redis/judge-server.ts";
import type { Core } from "./build-core.ts";
import { reachRedis } from "./open-core.ts";

type Asked = Pick<Core, "redis" | "sources">;

/** A Redis that refuses this user's questions is as unfit as one that is set up wrongly. */
export async function readFitness({
  redis,
  sources,
}: Asked): Promise<Pick<QueueFacts, "redisFit" | "redisMemoryShare">> {
  try {
    const [{ problems, memoryShare }, missing] = await Promise.all([
      checkFitness(redis, [...sources.keys()]),
      findMissingRights(redis, [...sources.keys()]),
    ]);
    return {
      redisFit: missing.length === 0 && problems.every(({ weight }) => weight !== "refuse"),
      redisMemoryShare: memoryShare,
    };
  } catch (error) {
    if (isRedisSilent(error)) throw error;
    return { redisFit: false, redisMemoryShare: null };
  }
}

/**
 * `server` null: this user lacks rights. `isDurable`: it writes an append-only file. `offMs`: its clock less ours.
 * Throws with the failing part if Redis does not answer.
 */
export async function lookAtRedis({ redis, sources }: Asked) {
  await reachRedis(redis);
  const missing = await findMissingRights(redis, [...sources.keys()]);
  const isReadable = !missing.some(({ message }) => message.includes("+info"));
  const { problems } = isReadable ? await checkFitness(redis, [...sources.keys()]) : { problems: [] };
  if (missing.length > 0) return { problems: [...missing, ...problems], server: null };
  const infos = (await redis.askMasters("INFO", "persistence")).map(({ reply }) => parseInfo(reply));
  const before = Date.now();
  const [seconds, micros] = (await redis.command("TIME")) as readonly [string, string];
  const ours = (before + Date.now()) / 2;
  return {
    problems,
    server: {
      isDurable: infos.every((info) => info.get("aof_enabled") === "1"),
      offMs: Number(seconds) * 1_000 + Number(micros) / 1_000 - ours,
    },
  };
}
