import type { Clock } from "./contracts/clock.ts";
import { createPageMemory, type PageMemoryParts } from "./listing/limit-page-memory.ts";
import { createTooLargeDates } from "./listing/too-large-records.ts";
import { createPoisonShare } from "./page/publish/batch-size-under-poison.ts";
import { RefusalsInARow } from "./page/publish/refusals-in-a-row.ts";
import { createUnworkableRecords } from "./page/unworkable-records.ts";
import { createPagesInFlight } from "./pass/pages-in-flight.ts";
import { windowSizes } from "./pass/split-window.ts";
import { createSweepRequest } from "./sweep/sweep-request.ts";
import { createUnwrittenFacts } from "./sweep/unwritten-facts.ts";

export type SourceMemory = Readonly<ReturnType<typeof createSourceMemory>>;

/** What this process alone knows of a source, and how much of it may be under work here. */
export function createSourceMemory(clock: Clock, pages: PageMemoryParts) {
  return {
    memory: createPageMemory(pages),
    pagesInFlight: createPagesInFlight(),
    poison: createPoisonShare(clock),
    refusalsInARow: new RefusalsInARow(),
    sweepRequest: createSweepRequest(),
    tooLarge: createTooLargeDates(clock),
    unworkable: createUnworkableRecords(),
    unwritten: createUnwrittenFacts(),
    windowSizes,
  };
}
