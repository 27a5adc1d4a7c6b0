import { Counter, Gauge, type Registry } from "prom-client";
import { toInDoubt, type QueueFacts } from "../job/contracts/queue-facts.ts";
import type { Clock } from "../job/contracts/clock.ts";
import { chooseDestinations, chooseFailures } from "./choose-series.ts";
import { createSingleGauges, restOfDestinations, tables } from "./queue-metrics.ts";
import type { DrainRow, SourceRow, Table } from "./queue-metrics.ts";

/** Equal in every replica, so alerts take the max. `null` takes all series away. */
export function createQueueGauges(
  registry: Registry,
  clock: Pick<Clock, "now">,
): (facts: QueueFacts | "refused" | null) => void {
  const all: { reset(): void }[] = [];
  const table = <Subject>({ labels, rows }: Table<Subject>) => {
    const made = Object.entries(rows).map(([name, [help, value]]) => {
      const Metric = name.endsWith("_total") ? Counter : Gauge;
      return { value, metric: new Metric({ name, help, labelNames: labels, registers: [registry] }) };
    });
    all.push(...made.map(({ metric }) => metric));
    return (subject: Subject, labels: Readonly<Record<string, string>>): void => {
      for (const { value, metric } of made) {
        const found = value(subject);
        if (found !== null && found !== undefined) metric.inc(labels, found);
      }
    };
  };
  const singles = createSingleGauges(registry);
  all.push(...Object.values(singles));
  const { redisUp, redisFit, redisMemory, records, failureMet, guardClosed, lanes, lane } = singles;
  const setWaiting = table(tables.waiting);
  const setDrain = table(tables.drains);
  const setSource = table(tables.sources);
  const setLaneTotals = table(tables.laneTotals);
  const setDestination = table(tables.destinations);
  const setRule = table(tables.ruleTotals);
  const setFailure = table(tables.failures);
  const rising = createRisingTotals();

  const setRecords = ({ drain, source, guards, facts, retentionMs }: DrainRow): void => {
    for (const { index } of guards) guardClosed.set({ drain, index }, 0);
    for (const { index, effect } of guards) if (effect === "closed") guardClosed.set({ drain, index }, 1);
    if (facts === null) return;
    for (const state of ["due", "held", "parked"] as const) {
      records.set({ source, drain, state }, facts[state]);
    }
    const { exact, arrivals, oldestRecordAt: oldestAt } = facts;
    const unmatched = facts.reasons.held.otherwise ?? 0;
    const dayLimited = facts.reasons.due["day-limit"];
    setWaiting({ exact, arrivals, oldestAt, unmatched, dayLimited, retentionMs }, { source, drain });
  };
  const setUnselected = ({ source, census }: SourceRow, documentHash: string): void => {
    if (census === null) return;
    const { oldestUnselectedAt: oldestAt, oldestEnteredAt, earliestExpiryAt } = census;
    const retentionMs = oldestEnteredAt === null ? 0 : (earliestExpiryAt ?? 0) - oldestEnteredAt;
    const labels = { source, drain: "none" };
    records.set({ ...labels, state: "held" }, census.unselected);
    // Another document may select records that no drain selected then.
    setWaiting({ exact: census.documentHash === documentHash, oldestAt, retentionMs }, labels);
  };
  const setLanes = ({ source, lanes: seen }: SourceRow): void => {
    for (const [state, count] of Object.entries(seen?.counts ?? {})) lanes.set({ source, state }, count);
    for (const one of seen?.lanes ?? []) {
      const { drain, origin, state } = one;
      lane.set({ source, drain, origin, state }, 1);
      setLaneTotals(one, { source, drain, origin });
    }
  };

  const setDestinations = (source: string, drains: readonly DrainRow[]): void => {
    const { shown, otherWaiting } = chooseDestinations(drains);
    for (const one of shown) {
      const { drain, origin } = one;
      const labels = { source, drain, origin };
      const name = `${source} ${drain} ${origin}`;
      const published = rising(`published ${name}`, one.published);
      const failedAgain = rising(`failed again ${name}`, one.failedAgain);
      setDestination({ ...one, published, failedAgain }, labels);
    }
    // Drain "" is no label: the rest of all drains.
    setDestination({ waiting: otherWaiting }, { source, drain: "", origin: restOfDestinations });
  };
  const setFailures = ({ source, failures }: SourceRow, drains: readonly DrainRow[]): void => {
    for (const one of chooseFailures(failures, drains, clock.now())) {
      const { id: failure, origin, status, text: answer, firstMetAt } = one;
      setFailure(one, { source, failure });
      failureMet.set({ source, failure, origin, status: status ?? "none", answer }, firstMetAt / 1_000);
    }
  };

  return (facts) => {
    for (const one of all) one.reset();
    redisUp.set(facts === null ? 0 : 1);
    // Without labels a reset leaves 0, and absent is not 0.
    redisMemory.remove();
    redisFit.remove();
    if (facts === null) return;
    if (facts === "refused") return redisFit.set(0);
    redisFit.set(Number(facts.redisFit));
    if (facts.redisMemoryShare !== null) redisMemory.set(facts.redisMemoryShare);
    for (const drain of facts.drains) {
      setDrain(drain, { drain: drain.drain });
      setRecords(drain);
    }
    for (const one of facts.sources) {
      const { source, summary } = one;
      setSource(one, { source });
      setUnselected(one, facts.documentHash);
      setLanes(one);
      const drains = facts.drains.filter((drain) => drain.source === source);
      setDestinations(source, drains);
      setFailures(one, drains);
      if (summary === null) continue;
      for (const one of summary.rules) setRule(one, { drain: one.drain, rule: one.rule });
      for (const [drain, count] of toInDoubt(summary.unknown, drains)) {
        records.set({ source, drain, state: "in_doubt" }, count);
      }
    }
  };
}

/** Keeps a total from falling. What is forgotten leaves a sum, and Prometheus would take the rest for new counts. */
export function createRisingTotals() {
  const totals = new Map<string, { last: number; forgotten: number }>();
  return (name: string, value: number): number => {
    const total = totals.get(name) ?? { last: value, forgotten: 0 };
    totals.set(name, total);
    if (value < total.last) total.forgotten += total.last - value;
    total.last = value;
    return value + total.forgotten;
  };
}
