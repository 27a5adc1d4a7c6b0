/** Guards and ceilings as they are now: the reasons besides time that hold due messages. Changes nothing. */
import type { CeilingUse } from "../../job/contracts/capacity.ts";
import { comparisonText } from "../../job/rules/patterns/write-number-patterns.ts";
import type { DrainRuntime } from "../../job/door.ts";

export type Room = Awaited<ReturnType<typeof readRoom>>;
export type ClosedGuard = Room["closedGuards"][number];
export type DayCeiling = NonNullable<Room["perDay"]>;

export async function readRoom({ config, source }: DrainRuntime) {
  const { perDay, perPass } = config.limits;
  const facts = perPass === undefined ? null : await source.passes.facts(config.name);
  const passId = facts?.openPass?.passId ?? null;
  const [standings, used] = await Promise.all([
    source.guards.peek(config),
    source.capacity.used({ source: source.config.id, drain: config.name, passId }),
  ]);
  return {
    /** In the order of the document; while one is closed, nothing is published for the first time. */
    closedGuards: standings.flatMap((standing, position) => {
      const guard = config.guards[position];
      if (guard === undefined || standing.effect === "open") return [];
      const { index, field, why, value } = standing;
      // As the document writes it: `> 10000`.
      const [holdsAt, resumesAt] = [comparisonText(guard.hold), comparisonText(guard.resume)];
      return [{ index, field, why, value, holdsAt, resumesAt }];
    }),
    perDay: perDay === undefined ? null : toDayCeiling(perDay, used),
    /** `usedByOpenPass`: null if no pass is open. */
    perPass:
      perPass === undefined ? null : { limit: perPass, usedByOpenPass: passId === null ? null : used.pass },
  };
}

function toDayCeiling(limit: number, { day, dayEndsAt, at }: CeilingUse) {
  return {
    limit,
    /** In this UTC day, by any replica or person. */
    used: day,
    left: Math.max(0, limit - day),
    /** Until the next UTC day begins, by Redis's clock. */
    endsInMs: Math.max(0, dayEndsAt - at),
  };
}
