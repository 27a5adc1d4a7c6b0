/** Guards and ceilings as they are now: the reasons besides time that hold due messages. Changes nothing. */
import type { GuardStanding } from "../../ports/guards.ts";
import { comparisonText } from "../../rules/document-form.ts";
import type { DrainRuntime } from "../runtime.ts";

export interface Room {
  /** In the order of the document; while one is closed, nothing is published for the first time. */
  readonly closedGuards: readonly ClosedGuard[];
  /** Null without such a ceiling. */
  readonly perDay: DayCeiling | null;
  readonly perPass: PassCeiling | null;
}

export interface ClosedGuard extends Pick<GuardStanding, "index" | "field" | "why" | "value"> {
  /** As the document writes it: `> 10000`. */
  readonly holdsAt: string;
  readonly resumesAt: string;
}

export interface DayCeiling {
  readonly limit: number;
  /** In this UTC day, by any replica or person. */
  readonly used: number;
  readonly left: number;
  /** Until the next UTC day begins, by Redis's clock. */
  readonly endsInMs: number;
}

export interface PassCeiling {
  readonly limit: number;
  /** By the pass that is open now; null when none is. */
  readonly usedByOpenPass: number | null;
}

/** Throws `redis-unavailable`. */
export async function readRoom({ config, source }: DrainRuntime): Promise<Room> {
  const { perDay, perPass } = config.limits;
  const facts = perPass === undefined ? null : await source.passes.facts(config.name);
  const passId = facts?.openPass?.passId ?? null;
  const [standings, used] = await Promise.all([
    source.guards.peek(config),
    source.capacity.used({ source: source.config.id, drain: config.name, passId }),
  ]);
  return {
    closedGuards: standings.flatMap((standing, position) => {
      const guard = config.guards[position];
      if (guard === undefined || standing.effect === "open") return [];
      const { index, field, why, value } = standing;
      const [holdsAt, resumesAt] = [comparisonText(guard.hold), comparisonText(guard.resume)];
      return [{ index, field, why, value, holdsAt, resumesAt }];
    }),
    perDay:
      perDay === undefined
        ? null
        : {
            limit: perDay,
            used: used.day,
            left: Math.max(0, perDay - used.day),
            endsInMs: Math.max(0, used.dayEndsAt - used.at),
          },
    perPass:
      perPass === undefined ? null : { limit: perPass, usedByOpenPass: passId === null ? null : used.pass },
  };
}
