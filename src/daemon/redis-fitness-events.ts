import type { Clock } from "../ports/clock.ts";
import type { Events } from "../ports/events.ts";
import type { RedisProblem } from "../redis/judge-server.ts";

/** A connection that is new, or that follows a failover, is away for a moment; that is no news. */
const awayForMs = 2_000;

/** Reports a Redis that is not fit, and one that is fit again: once per change, not per check. */
export interface RedisFitnessEvents {
  /** Problems found now that prevent work (refuse) or new work (hold); may be empty. */
  found(problems: readonly Pick<RedisProblem, "kind" | "message">[]): void;
  /** The check got no answer, for this reason. */
  away(why: string): void;
}

export function createRedisFitnessEvents(
  events: Events,
  clock: Pick<Clock, "monotonic">,
): RedisFitnessEvents {
  /** The kinds of the problems reported last. Messages hold numbers that change from check to check. */
  let reported = "";
  let awaySince: number | null = null;

  const change = (kinds: string, problems: readonly string[]): void => {
    if (kinds === reported) return;
    reported = kinds;
    events.emit(problems.length === 0 ? { type: "redis:fit" } : { type: "redis:unfit", problems });
  };

  return {
    found(problems) {
      awaySince = null;
      change(
        problems
          .map(({ kind }) => kind)
          .toSorted()
          .join(),
        problems.map(({ message }) => message),
      );
    },
    away(why) {
      awaySince ??= clock.monotonic();
      if (clock.monotonic() - awaySince >= awayForMs) change("away", [why]);
    },
  };
}
