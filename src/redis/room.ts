import type { Clock } from "../ports/clock.ts";
import { isRedisAway } from "../ports/errors.ts";
import type { RedisConnection } from "./connect.ts";
import { checkFitness } from "./preflight.ts";

/** A begin is asked for at most this long after the memory was. */
const knownForMs = 5_000;

/**
 * Whether Redis has room for new entries of a ledger; asks it at most every 5 s, whoever asks. True while
 * Redis is away: what is asked for next says so itself.
 */
export function createRoomCheck(
  redis: RedisConnection,
  clock: Pick<Clock, "monotonic">,
): () => Promise<boolean> {
  let asked: { readonly at: number; readonly hasRoom: Promise<boolean> } | null = null;
  const ask = async (): Promise<boolean> => {
    try {
      const { problems } = await checkFitness(redis);
      return !problems.some(({ kind }) => kind === "almost-full");
    } catch (error) {
      if (!isRedisAway(error)) throw error;
      asked = null;
      return true;
    }
  };
  return () => {
    const now = clock.monotonic();
    if (asked === null || now - asked.at >= knownForMs) asked = { at: now, hasRoom: ask() };
    return asked.hasRoom;
  };
}
