import type { Clock } from "../contracts/clock.ts";
import { toFailure } from "../contracts/errors.ts";
import type { Events } from "../contracts/events.ts";
import type { RedisConnection } from "../redis/connect.ts";
import { findMissingRights } from "../redis/find-missing-rights.ts";
import type { RedisProblem } from "../redis/judge-server.ts";
import { checkFitness } from "../redis/check-fitness-and-room.ts";

const checkEveryMs = 5_000;
const awayWaitMs = 250;
/** While a right is missing: work goes on soon after it was given. */
const checkDeniedEveryMs = 1_000;
/** Rights are asked for at start, while one is missing, and this often. */
const rightsEveryMs = 15_000;

/** A connection that is new, or that follows a failover, is away for a moment; that is no news. */
const awayForMs = 2_000;

/** `sources`: those of the document, whose keys must be allowed. */
export function createRedisFitness(
  redis: RedisConnection,
  events: Events,
  clock: Clock,
  sources: () => readonly string[],
) {
  const fitness = createRedisFitnessEvents(events, clock);
  let problems: readonly RedisProblem[] | null = null;
  let fitSince: number | null = null;
  let missingRights: readonly RedisProblem[] = [];
  let rightsAskedAt = -Infinity;

  const isFreeOf = (weights: readonly RedisProblem["weight"][]): boolean =>
    redis.isReady() && problems?.every(({ weight }) => !weights.includes(weight)) === true;
  const isFit = (): boolean => isFreeOf(["refuse"]);

  async function askForRights(): Promise<void> {
    const now = clock.monotonic();
    if (missingRights.length === 0 && now - rightsAskedAt < rightsEveryMs) return;
    try {
      missingRights = await findMissingRights(redis, sources());
      rightsAskedAt = now;
    } catch {
      // No answer changes nothing. The next look asks again.
    }
  }

  async function look(): Promise<number> {
    const away = redis.whyAway();
    if (away !== null) {
      fitSince = null;
      fitness.away(away);
      return awayWaitMs;
    }
    let failure: unknown;
    let found: readonly RedisProblem[];
    try {
      found = (await checkFitness(redis, sources())).problems.filter(({ weight }) => weight !== "warn");
    } catch (error) {
      // A server with an unreadable setup is as unfit as one that is set up wrongly.
      found = [{ kind: "unreadable", weight: "refuse", message: toFailure(error).message }];
      failure = error;
    }
    await askForRights();
    problems = [...found, ...missingRights];
    fitness.found(problems);
    fitSince = isFit() ? (fitSince ?? clock.now()) : null;
    if (failure !== undefined) throw failure;
    return missingRights.length > 0 ? checkDeniedEveryMs : checkEveryMs;
  }

  return {
    isFit,
    isWell: () => isFreeOf(["refuse", "hold"]),
    /** Problems that prevent work (refuse) or new work (hold); null: not checked yet. */
    problems: () => problems,
    /** Unix ms from which it has been fit without a break; null: it is not. */
    fitSince: () => fitSince,
    /** One check. Answers ms until the next. Throws the failure of a check that could not be made. */
    look,
  };
}

/** Reports a Redis that is not fit, and one that is fit again: once per change, not per check. */
export function createRedisFitnessEvents(events: Events, clock: Pick<Clock, "monotonic">) {
  /** The kinds of the problems reported last, and which rights. Other messages hold numbers that change. */
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
      const kinds = problems.map(({ kind, message }) => (kind === "missing-right" ? message : kind));
      change(
        kinds.toSorted().join(),
        problems.map(({ message }) => message),
      );
    },
    away(why: string): void {
      awaySince ??= clock.monotonic();
      if (clock.monotonic() - awaySince >= awayForMs) change("away", [why]);
    },
  };
}
