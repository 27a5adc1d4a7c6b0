import type { Clock } from "../ports/clock.ts";
import { toFailure } from "../ports/errors.ts";
import type { Events } from "../ports/events.ts";
import type { RedisConnection } from "../redis/connect.ts";
import type { RedisProblem } from "../redis/judge-server.ts";
import { checkFitness } from "../redis/check-fitness-and-room.ts";

const checkEveryMs = 5_000;
const awayWaitMs = 250;

/** A connection that is new, or that follows a failover, is away for a moment; that is no news. */
const awayForMs = 2_000;

export function createRedisFitness(redis: RedisConnection, events: Events, clock: Clock) {
  const fitness = createRedisFitnessEvents(events, clock);
  let problems: readonly RedisProblem[] | null = null;
  let fitSince: number | null = null;

  const isFreeOf = (weights: readonly RedisProblem["weight"][]): boolean =>
    redis.isReady() && problems?.every(({ weight }) => !weights.includes(weight)) === true;
  const isFit = (): boolean => isFreeOf(["refuse"]);

  return {
    /** It answers and is fit for a ledger: jobs may be worked. */
    isFit,
    /** Fit, and with room: new work may begin. */
    isWell: () => isFreeOf(["refuse", "hold"]),
    /** Problems that prevent work (refuse) or new work (hold); null: not checked yet. */
    problems: () => problems,
    /** Unix ms from which it has been fit without a break; null: it is not. */
    fitSince: () => fitSince,
    /** One check. Answers ms until the next. Throws the failure of a check that could not be made. */
    async look(): Promise<number> {
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

/** Reports a Redis that is not fit, and one that is fit again: once per change, not per check. */
export function createRedisFitnessEvents(events: Events, clock: Pick<Clock, "monotonic">) {
  /** The kinds of the problems reported last. Messages hold numbers that change from check to check. */
  let reported = "";
  let awaySince: number | null = null;

  const change = (kinds: string, problems: readonly string[]): void => {
    if (kinds === reported) return;
    reported = kinds;
    events.emit(problems.length === 0 ? { type: "redis:fit" } : { type: "redis:unfit", problems });
  };

  return {
    /** Problems found now that prevent work (refuse) or new work (hold); may be empty. */
    found(problems: readonly Pick<RedisProblem, "kind" | "message">[]): void {
      awaySince = null;
      change(
        problems
          .map(({ kind }) => kind)
          .toSorted()
          .join(),
        problems.map(({ message }) => message),
      );
    },
    /** The check got no answer, for this reason. */
    away(why: string): void {
      awaySince ??= clock.monotonic();
      if (clock.monotonic() - awaySince >= awayForMs) change("away", [why]);
    },
  };
}
