/** Lists and decides all that a drain selects, and sums it up: of bounded size for any number of records. */
import { parseUrl } from "../../job/message/destination-url.ts";
import type { Show } from "../../job/message/show-masked-values.ts";
import type { PlanFilter } from "../../job/contracts/plans.ts";
import { compileHostGlob } from "../../job/rules/patterns/host-glob.ts";
import { readFailureMatcher, type FailureMatcher } from "./failure-matcher.ts";
import { unreadableKind } from "../../job/message/failure-kind.ts";
import {
  type ListingSignals,
  type Letter,
  survey,
  withNewer,
  type FrozenRange,
  type DrainRuntime,
} from "../../job/door.ts";
import { createDecidedCount } from "./decided-count.ts";
import { createDestinationCount } from "./destination-count.ts";
import { estimate } from "./estimate.ts";
import { createLaneWaitCount } from "./lane-waits.ts";
import { toCounted } from "./file-summary.ts";
import { foresee, type Foreseen } from "./foresee-next-decision.ts";
import { toPlanRecord, type PlanRecord } from "./plan-file-record.ts";
import { readRoom } from "./guards-and-ceilings.ts";
import { createFailureCount } from "./failure-count.ts";

export type DrainReport = Awaited<ReturnType<typeof planDrain>>;

export interface PlanRun {
  readonly drain: DrainRuntime;
  readonly range: FrozenRange;
  readonly filter: PlanFilter;
  readonly show: Show;
  readonly signals: ListingSignals;
  /** Called with each record of the plan, in the service's order. */
  readonly onRecord: (record: Foreseen, line: PlanRecord) => Promise<void>;
  readonly onPage: (report: { readonly listed: number; readonly planned: number }) => void;
}

/** Changes nothing. Throws as `survey` does, and `redis-unavailable`. */
export async function planDrain(run: PlanRun) {
  const { filter, show } = run;
  const drain = await withNewer(run.drain, run.range, run.signals);
  const { config, source } = drain;
  const { clock, from, to } = run.range;
  const { failure } = filter;
  const isWanted = toTest(
    drain,
    filter,
    failure === undefined ? null : await readFailureMatcher(source, failure),
  );
  const limit = filter.limit ?? Infinity;
  const isFiltered = [filter.rules, filter.host, filter.failure].some((given) => given !== undefined);
  const decided = createDecidedCount();
  const failures = createFailureCount(show);
  const laneWaits = createLaneWaitCount(drain);
  const ruleRates = new Map(
    config.rules.flatMap(({ name, limit: rate }) => (rate === undefined ? [] : [[name, rate] as const])),
  );
  const destinations = createDestinationCount(new Set(ruleRates.keys()));
  const unusable: Record<string, number> = {};
  let listed = 0;
  let cut = false;

  for await (const page of survey(drain, run.range, run.signals)) {
    // Such a record has neither a rule nor a host, and a kind of its own.
    const isCounted = !isFiltered || filter.failure === unreadableKind.id;
    for (const { reason } of isCounted ? page.unusable : []) unusable[reason] = (unusable[reason] ?? 0) + 1;
    let looked = page.unusable.length;
    for (const letter of page.letters) {
      if (decided.planned() === limit) break;
      looked += 1;
      if (!isWanted(letter)) continue;
      const foreseen = foresee(drain, letter);
      const line = toPlanRecord(drain, foreseen, show);
      decided.add(toCounted(line, letter.facts?.now ?? 0));
      failures.add(letter.content, letter.decision.then);
      laneWaits.add(letter);
      const { becomes, next } = foreseen;
      if (letter.item !== null) destinations.add(letter, letter.decision.rule, "now");
      else if (becomes !== null && next !== null) destinations.add(becomes, next.rule, "later");
      await run.onRecord(foreseen, line);
    }
    listed += looked;
    run.onPage({ listed, planned: decided.planned() });
    if (decided.planned() < limit) continue;
    cut = !page.isLast || looked < page.letters.length + page.unusable.length;
    break;
  }

  const report = decided.report(config.rules.map(({ name }) => name));
  const room = await readRoom(drain);
  return {
    drain: config.name,
    source: source.config.id,
    mode: config.mode,
    range: { from, to },
    clock,
    /** Records that were listed and decided, also those that a filter left out. */
    listed,
    /** The limit was reached: later records were not read. */
    cut,
    ...report,
    /** `missing`: there is no archive, so drops are held. */
    archive: drain.archive === null ? ("missing" as const) : ("there" as const),
    /** Records that cannot be read, by reason. They stay in the queue. */
    unusable,
    failures: failures.counts(),
    room,
    /** Null if the drain has none. */
    lanes: await laneWaits.read(),
    estimate: estimate({ limits: config.limits, ruleRates, counts: destinations.report(), room }),
  };
}

function toTest(
  { config, discard }: DrainRuntime,
  { rules, host }: PlanFilter,
  fitsFailure: FailureMatcher | null,
): (letter: Letter) => boolean {
  const wanted = rules === undefined ? null : new Set(rules);
  const fitsHost = host === undefined ? null : compileHostGlob(host);
  return ({ decision, facts, content, failure }) => {
    if (wanted !== null) {
      // What is discarded is decided by no rule. Meant is what the rule would decide.
      const rule = discard === undefined || facts === null ? decision.rule : config.route(facts).rule;
      if (rule === null || !wanted.has(rule)) return false;
    }
    if (fitsFailure !== null && !fitsFailure(failure)) return false;
    if (fitsHost === null) return true;
    const url = parseUrl(content.url);
    return url !== null && fitsHost(url.host);
  };
}
