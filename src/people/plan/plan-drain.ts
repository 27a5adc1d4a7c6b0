/** Lists and decides all that a drain selects, and sums it up: of bounded size for any number of records. */
import type { Show } from "../../job/message/show-masked-values.ts";
import type { PlanFilter } from "../../job/contracts/plans.ts";
import { unreadableKind } from "../../job/message/failure-kind.ts";
import { type ListingSignals, survey, type FrozenRange, type DrainRuntime } from "../../job/door.ts";
import { createFilter } from "./filter-letters.ts";
import { createElsewhere, type DrainsBeside } from "./planned-elsewhere.ts";
import { createDecidedCount } from "./decided-count.ts";
import { createDestinationCount, createFailureCount } from "./destination-count.ts";
import { estimate } from "./estimate.ts";
import { createLaneWaitCount } from "./lane-waits.ts";
import { foresee, type Foreseen } from "./foresee-next-decision.ts";
import { toPlanRecord, type PlanRecord } from "./plan-file-record.ts";
import { readRoom } from "./guards-and-ceilings.ts";

export type DrainReport = Awaited<ReturnType<typeof planDrain>>;

export interface PlanRun {
  /** It knows of newer letters (`withNewer`), if a rule asks. */
  readonly drain: DrainRuntime;
  readonly beside: DrainsBeside;
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
  const { drain, filter, show, beside } = run;
  const { config, source } = drain;
  const { clock, from, to } = run.range;
  const isWanted = await createFilter(drain, filter);
  const isElsewhere = await createElsewhere(drain, filter, beside);
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
  let elsewhere = 0;
  let taken = 0;
  let cut = false;

  // A backlog may have millions, whose ids take memory.
  const isShared = beside.later.length > 0;
  for await (const page of survey(drain, run.range, run.signals)) {
    // Such a record has neither a rule nor a host, and a kind of its own.
    const isCounted = !isFiltered || filter.failure === unreadableKind.id;
    for (const { reason, dlqId } of isCounted ? page.unusable : []) {
      if (dlqId !== undefined && beside.taken.has(dlqId)) elsewhere += 1;
      else unusable[reason] = (unusable[reason] ?? 0) + 1;
      if (dlqId !== undefined && isShared) beside.taken.add(dlqId);
    }
    let looked = page.unusable.length;
    for (const letter of page.letters) {
      if (taken === limit) break;
      looked += 1;
      if (!isWanted(letter)) continue;
      if (isElsewhere(letter)) {
        elsewhere += 1;
        continue;
      }
      if (isShared) beside.taken.add(letter.dlqId);
      const foreseen = foresee(drain, letter);
      const line = toPlanRecord(drain, foreseen, show);
      decided.add(line, letter.facts?.now ?? 0);
      // An apply would send neither what is sent already nor what another worker has in hand.
      if (line.then !== "settle" && line.reason !== "in-flight") taken += 1;
      failures.add(letter.content, letter.decision.then);
      laneWaits.add(letter);
      const { becomes, next } = foreseen;
      if (letter.item !== null) destinations.add(letter, letter.decision.rule, "now");
      else if (becomes !== null && next !== null) destinations.add(becomes, next.rule, "later");
      await run.onRecord(foreseen, line);
    }
    listed += looked;
    run.onPage({ listed, planned: decided.planned() });
    if (taken < limit) continue;
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
    /** Of those: another drain of the plan has them. */
    elsewhere,
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
