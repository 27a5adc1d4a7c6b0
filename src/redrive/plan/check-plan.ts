import type { DlqId } from "../../message/dead-letter.ts";
import type { SourceRuntime, DrainRuntime } from "../runtime.ts";
import type { ListingSignals } from "../listing/list-with-retry.ts";
import type { Planned } from "./plan-record.ts";
import { compareWithPlan, isDone } from "./compare-with-plan.ts";
import { createSkips, type SkipReport } from "./skips.ts";
import { survey, type SurveyRange } from "./survey.ts";

/** How a drain's part of a plan stands, before anything is done. */
export interface PlanCheck {
  readonly planned: number;
  /** What is to be acted on: as planned, or not just now. */
  readonly open: Map<DlqId, Planned>;
  readonly notNow: number;
  readonly done: number;
  readonly skips: SkipReport;
}

/**
 * Lists a planned range once more and holds each planned record against what would be decided now. Changes nothing. Throws as
 * `survey` does.
 */
export async function checkPlan(
  drain: DrainRuntime,
  range: SurveyRange,
  planned: ReadonlyMap<DlqId, Planned>,
  signals: ListingSignals,
  onPage: (checked: number) => void,
): Promise<PlanCheck> {
  const open = new Map<DlqId, Planned>();
  const missing = new Set(planned.keys());
  const skips = createSkips();
  let [notNow, done] = [0, 0];
  for await (const page of survey(drain, range, signals)) {
    for (const record of page.records) {
      const { dlqId } = record.decided.letter;
      const order = planned.get(dlqId);
      if (order === undefined || !missing.delete(dlqId)) continue;
      const found = compareWithPlan(order, record, drain.source.headerPrefix);
      switch (found) {
        case "as-planned":
          open.set(dlqId, order);
          break;
        case "not-now":
          open.set(dlqId, order);
          notNow += 1;
          break;
        case "done":
          done += 1;
          break;
        case "changed":
        case "otherwise":
          skips.listed(found, order, record);
          break;
      }
    }
    onPage(planned.size - missing.size);
    // What is behind the last planned record need not be listed.
    if (missing.size === 0) break;
  }
  const unlisted = await splitUnlisted(drain.source, [...missing]);
  for (const dlqId of unlisted.gone) {
    const order = planned.get(dlqId);
    if (order !== undefined) skips.gone(dlqId, order);
  }
  return {
    planned: planned.size,
    open,
    notNow,
    done: done + unlisted.done,
    skips: skips.report(),
  };
}

/** Of ids that are listed no more: how many the ledger knows to be done, and which nobody here knows of. */
export async function splitUnlisted(
  { ledger }: SourceRuntime,
  ids: readonly DlqId[],
): Promise<{ readonly done: number; readonly gone: readonly DlqId[] }> {
  const gone: DlqId[] = [];
  for (let start = 0; start < ids.length; start += idsPerPeek) {
    const page = ids.slice(start, start + idsPerPeek);
    const { views } = await ledger.peek(page);
    gone.push(
      ...page.filter((_, index) => {
        const view = views[index];
        return view === undefined || !isDone(view);
      }),
    );
  }
  return { done: ids.length - gone.length, gone };
}

const idsPerPeek = 100;
