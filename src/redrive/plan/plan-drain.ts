import type { Show } from "../../message/masked-text.ts";
import { parseUrl } from "../../message/parse-url.ts";
import { compileGlob } from "../../rules/patterns/glob.ts";
import type { ListingSignals } from "../listing/list-with-retry.ts";
import type { DrainRuntime } from "../runtime.ts";
import { createDrainCount, type DrainReport } from "./drain-report.ts";
import { foresee, type ForeseenRecord } from "./next-decision.ts";
import type { PlanFilter } from "./plan-file.ts";
import { survey, type FrozenRange, type SurveyedRecord } from "./survey.ts";

export interface PlanRun {
  readonly drain: DrainRuntime;
  readonly range: FrozenRange;
  readonly filter: PlanFilter;
  readonly show: Show;
  readonly signals: ListingSignals;
  /** Each record of the plan, in the service's order. */
  readonly onRecord: (record: ForeseenRecord) => Promise<void>;
  readonly onPage: (report: { readonly listed: number; readonly planned: number }) => void;
}

/** Lists and decides all that a drain selects, and sums it up. Changes nothing. Throws as `survey` does. */
export async function planDrain(run: PlanRun): Promise<DrainReport> {
  const { drain, range, filter, show } = run;
  const isWanted = toTest(filter);
  const limit = filter.limit ?? Infinity;
  const isFiltered = filter.rules !== undefined || filter.host !== undefined;
  const count = createDrainCount(drain, range, show);
  let listed = 0;
  for await (const page of survey(drain, range, run.signals)) {
    // Such a record has neither a rule nor a host.
    if (!isFiltered) count.unusable(page.unusable);
    let looked = page.unusable.length;
    for (const record of page.records) {
      if (count.planned() === limit) break;
      looked += 1;
      if (!isWanted(record)) continue;
      const foreseen = foresee(drain, record);
      count.add(foreseen);
      await run.onRecord(foreseen);
    }
    listed += looked;
    run.onPage({ listed, planned: count.planned() });
    const isAll = page.isLast && looked === page.records.length + page.unusable.length;
    if (count.planned() === limit) return count.report(listed, !isAll);
  }
  return count.report(listed, false);
}

function toTest({ rules, host }: PlanFilter): (record: SurveyedRecord) => boolean {
  const wanted = rules === undefined ? null : new Set(rules);
  const fitsHost = host === undefined ? null : compileGlob(host.toLowerCase());
  return ({ decided: { decision, letter } }) => {
    if (wanted !== null && (decision.rule === null || !wanted.has(decision.rule))) return false;
    if (fitsHost === null) return true;
    const url = parseUrl(letter.url);
    return url !== null && (fitsHost(url.hostname) || fitsHost(url.host));
  };
}
