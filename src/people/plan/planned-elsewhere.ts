/**
 * Of drains of one source that select the same letter, one has it in a plan: the first that acts on it, else the first
 * that selects it. So a plan counts each letter once, and an apply acts on it once.
 */
import type { Letter, DrainRuntime } from "../../job/door.ts";
import { createDrainSelects, decideLater } from "../../job/door-pure.ts";
import type { DlqId } from "../../job/message/dead-letter.ts";
import { unlessRedisAway } from "../../job/contracts/errors.ts";
import type { PlanFilter } from "../../job/contracts/plans.ts";
import { isAct, isParkedAlready } from "./plan-file-record.ts";
import { createFilter } from "./filter-letters.ts";

export interface DrainsBeside {
  /** What drains before this one have in the plan. What this one has is added, if there are later ones. */
  readonly taken: Set<DlqId>;
  /** Drains of the same source that are planned later, in this order, and may select the same letters. */
  readonly later: readonly DrainRuntime[];
}

/** True if another drain has the letter in the plan. The letter is decided by its own drain, and wanted by its filter. */
export async function createElsewhere(
  drain: DrainRuntime,
  filter: PlanFilter,
  { taken, later }: DrainsBeside,
) {
  const { book } = drain.source;
  // A plan needs no Redis. Then dates are taken as entry.
  const datesMean = later.length === 0 ? null : await unlessRedisAway(() => book.datesMean(), null);
  const others = await Promise.all(
    later.map(async (runtime) => ({
      runtime,
      selects: createDrainSelects(runtime.config, datesMean),
      isWanted: await createFilter(runtime, filter),
    })),
  );
  return (letter: Letter): boolean => {
    if (taken.has(letter.dlqId)) return true;
    const { facts, raw } = letter;
    if (facts === null || isActOf(drain, letter)) return false;
    return others.some(({ runtime, selects, isWanted }) => {
      if (!selects(raw, facts.now)) return false;
      const theirs = decideLater(runtime, letter, facts.now);
      return isActOf(runtime, theirs) && isWanted(theirs);
    });
  };
}

function isActOf({ config: { rulesHash } }: DrainRuntime, letter: Letter): boolean {
  const already = isParkedAlready(letter, rulesHash) && { already: true as const };
  return isAct({ then: letter.decision.then, ...already });
}
