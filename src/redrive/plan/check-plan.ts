import type { DlqId } from "../../message/dead-letter.ts";
import type { SourceRuntime, DrainRuntime } from "../runtime.ts";
import type { ListingSignals } from "../list-patiently.ts";
import type { Planned } from "./plan-record.ts";
import { isDone, standingOf } from "./selection.ts";
import { survey, type SurveyRange } from "./survey.ts";

/** How a drain's part of a plan stands, before anything is done. */
export interface PlanCheck {
  readonly planned: number;
  /** What is to be acted on: as planned, or not just now. */
  readonly open: Map<DlqId, Planned>;
  readonly notNow: number;
  readonly done: number;
  /** Not listed any more, and not by our doing. */
  readonly gone: number;
  readonly changed: number;
  readonly otherwise: number;
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
  let [notNow, done, changed, otherwise] = [0, 0, 0, 0];
  for await (const page of survey(drain, range, signals)) {
    for (const record of page.records) {
      const { dlqId } = record.decided.letter;
      const order = planned.get(dlqId);
      if (order === undefined || !missing.delete(dlqId)) continue;
      switch (standingOf(order, record, drain.source.headerPrefix)) {
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
          changed += 1;
          break;
        case "otherwise":
          otherwise += 1;
          break;
      }
    }
    onPage(planned.size - missing.size);
    // What is behind the last planned record need not be listed.
    if (missing.size === 0) break;
  }
  const unlisted = await splitUnlisted(drain.source, [...missing]);
  return {
    planned: planned.size,
    open,
    notNow,
    done: done + unlisted.done,
    gone: unlisted.gone,
    changed,
    otherwise,
  };
}

/** Of ids that are listed no more: how many the ledger knows to be done, and how many nobody here knows of. */
export async function splitUnlisted(
  { ledger }: SourceRuntime,
  ids: readonly DlqId[],
): Promise<{ readonly done: number; readonly gone: number }> {
  let done = 0;
  for (let start = 0; start < ids.length; start += idsPerPeek) {
    const { views } = await ledger.peek(ids.slice(start, start + idsPerPeek));
    done += views.filter(isDone).length;
  }
  return { done, gone: ids.length - done };
}

const idsPerPeek = 100;

/** Skipped ones of a plan, as `plan-drifted` counts them. */
export function driftOf(checks: readonly PlanCheck[]): { readonly drift: number; readonly planned: number } {
  return checks.reduce(
    (sum, { gone, changed, otherwise, planned }) => ({
      drift: sum.drift + gone + changed + otherwise,
      planned: sum.planned + planned,
    }),
    { drift: 0, planned: 0 },
  );
}
