import type { Clock } from "../ports/clock.ts";
import { toFailure } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { RedisConnection } from "../redis/connect.ts";
import type { RedisProblem } from "../redis/judge-server.ts";
import { checkFitness } from "../redis/preflight.ts";
import { createRedisFitnessEvents } from "./redis-fitness-events.ts";

const checkEveryMs = 5_000;
const awayWaitMs = 250;

/** The state of Redis at this process's last check. */
export interface RedisHealth {
  /** One check. Answers ms until the next. Throws the failure of a check that could not be made. */
  look(): Promise<number>;
  /** It answers and is fit for a ledger: jobs may be worked. */
  isFit(): boolean;
  /** Fit, and with room: new work may begin. */
  isWell(): boolean;
  /** Problems that prevent work (refuse) or new work (hold); null: not checked yet. */
  problems(): readonly RedisProblem[] | null;
  /** Unix ms from which it has been fit without a break; null: it is not. */
  fitSince(): number | null;
}

export function createRedisHealth(redis: RedisConnection, events: Events, clock: Clock): RedisHealth {
  const fitness = createRedisFitnessEvents(events, clock);
  let problems: readonly RedisProblem[] | null = null;
  let fitSince: number | null = null;

  const isFreeOf = (weights: readonly RedisProblem["weight"][]): boolean =>
    redis.isReady() && problems?.every(({ weight }) => !weights.includes(weight)) === true;
  const isFit = (): boolean => isFreeOf(["refuse"]);

  return {
    isFit,
    isWell: () => isFreeOf(["refuse", "hold"]),
    problems: () => problems,
    fitSince: () => fitSince,
    async look() {
      const away = redis.whyAway();
      if (away !== null) {
        fitSince = null;
        fitness.away(away);
        return awayWaitMs;
      }
      try {
        problems = (await checkFitness(redis)).problems.filter(({ weight }) => weight !== "warn");
      } catch (error) {
        // A server with an unreadable setup is as unfit as one that is set up wrongly.
        problems = [{ kind: "unreadable", weight: "refuse", message: toFailure(error).message }];
        fitSince = null;
        throw error;
      } finally {
        fitness.found(problems ?? []);
      }
      fitSince = isFit() ? (fitSince ?? clock.now()) : null;
      return checkEveryMs;
    },
  };
}
