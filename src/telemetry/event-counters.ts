import { Counter, exponentialBuckets, Histogram, type Registry } from "prom-client";
import { serviceOperations, type EventOf, type RedriverEvent } from "../job/contracts/events.ts";
import { counterRows, type Labels, labelsOfRow } from "./counter-rows.ts";
import { gaugesOf } from "./gauges-of.ts";

export interface MeasuredDocument {
  readonly hash: string;
  readonly sources: readonly { readonly id: string }[];
  readonly drains: readonly {
    readonly name: string;
    readonly source: { readonly id: string };
    readonly rules: readonly { readonly name: string }[];
  }[];
  readonly indexes: readonly { readonly name: string }[];
  /** Only its presence counts. */
  readonly archive?: object;
}

type Measured = { readonly [Type in RedriverEvent["type"]]?: (event: EventOf<Type>) => void };

/** 10 ms to 41 s: a page takes tens of ms, a batch may wait 30 s for its answer. */
const requestBuckets = exponentialBuckets(0.01, 2, 13);

/** From a minute to three days, which is the shortest retention. */
const redeliveryBuckets = [1, 5, 15, 30, 60, 120, 240, 480, 720, 1_440, 2_880, 4_320].map((min) => min * 60);
const noRule = "otherwise";

const ofOperation = ["source", "operation"] as const;

export function createEventCounters(registry: Registry) {
  const registers = [registry];
  const counters = counterRows.map(({ owner, name, help, on, series }) => {
    const labelNames = labelsOfRow({ owner, series });
    return { owner, on, series, labelNames, counter: new Counter({ name, help, labelNames, registers }) };
  });
  const ruleDecisions = new Counter({
    name: "redriver_rule_decisions_total",
    help: "Decisions by the rule that matched; otherwise: no rule did. Only rules of the document.",
    labelNames: ["drain", "rule"],
    registers,
  });
  const rulesOf = new Map<string, ReadonlySet<string>>();
  const requestSeconds = new Histogram({
    name: "redriver_service_request_duration_seconds",
    help: "How long requests to the message service took.",
    labelNames: ofOperation,
    buckets: requestBuckets,
    registers,
  });
  const redelivery = new Histogram({
    name: "redriver_redelivery_seconds",
    help: "From a message's entry into the DLQ until it was published again.",
    labelNames: ["source"],
    buckets: redeliveryBuckets,
    registers,
  });
  const gauge = gaugesOf(registry);
  const archiveVolume = gauge(
    "redriver_archive_volume",
    "1 for how the archive's volume looks: fit, doubtful (ends with its container) or unfit (nothing is dropped).",
    ["verdict"],
  );
  const halted = gauge(
    "redriver_source_halted",
    "1 while this replica publishes nothing through the source, because it halted it.",
    ["source"],
  );
  const inFlight = gauge(
    "redriver_service_calls_in_flight",
    "The most calls that this replica had in flight at once, within the last second.",
    ofOperation,
  );
  const callLimit = gauge(
    "redriver_service_calls_in_flight_limit",
    "How many calls this replica may have in flight, as it has learned and shares it with others.",
    ofOperation,
  );
  const configInfo = gauge("redriver_config_info", "1 for the drains document that this replica works by.", [
    "hash",
  ]);
  const reloadSuccessful = gauge(
    "redriver_config_last_reload_successful",
    "0 while the drains document's file holds something that was not adopted.",
  );
  const reloadedAt = gauge(
    "redriver_config_last_reload_success_timestamp_seconds",
    "When the drains document's file was last adopted.",
  );
  reloadSuccessful.set(1);

  const start = (labels: Labels): void => {
    for (const { owner, series, counter } of counters) {
      if (owner.join() !== Object.keys(labels).join()) continue;
      for (const own of series) counter.inc({ ...labels, ...own }, 0);
    }
  };
  start({});
  const countersOf = new Map<string, typeof counters>();
  for (const one of counters) {
    for (const type of Object.keys(one.on)) countersOf.set(type, [...(countersOf.get(type) ?? []), one]);
  }
  const settled = counters.find(({ on }) => on["record:settled"] !== undefined);

  const measured: Measured = {
    "record:decided": ({ drain, records }) => {
      const known = rulesOf.get(drain);
      for (const [rule, count] of byRule(records)) {
        if (known?.has(rule) === true) ruleDecisions.inc({ drain, rule }, count);
      }
    },
    "record:published": ({ source, records }) => {
      for (const { waitedMs } of records) redelivery.observe({ source }, waitedMs / 1_000);
    },
    "service:answered": ({ source, operation, durationMs }) =>
      requestSeconds.observe({ source, operation }, durationMs / 1_000),
    "document:adopted": ({ at }) => {
      reloadSuccessful.set(1);
      reloadedAt.set(at / 1_000);
    },
    "document:rejected": () => reloadSuccessful.set(0),
    "archive:volume-seen": ({ verdict }) => {
      archiveVolume.reset();
      archiveVolume.set({ verdict }, 1);
    },
    "source:calls": ({ source, inFlight: peaks, limits }) => {
      for (const operation of serviceOperations) {
        inFlight.set({ source, operation }, peaks[operation]);
        callLimit.set({ source, operation }, limits[operation]);
      }
    },
    "source:halted": ({ source }) => halted.set({ source }, 1),
    "source:resumed": ({ source }) => halted.set({ source }, 0),
  };

  let known: readonly string[] = [];
  return {
    /** Makes every series of the document's sources, drains and indexes exist, at 0. Others stay as they are. */
    adopt({ hash, sources, drains, indexes, archive }: MeasuredDocument): void {
      if (archive === undefined) archiveVolume.reset();
      configInfo.reset();
      configInfo.set({ hash }, 1);
      for (const source of known) {
        // A removed source is never resumed.
        if (sources.some(({ id }) => id === source)) continue;
        halted.remove({ source });
        for (const operation of serviceOperations) {
          inFlight.remove({ source, operation });
          callLimit.remove({ source, operation });
        }
      }
      const added = sources.filter(({ id }) => !known.includes(id));
      known = sources.map(({ id }) => id);
      // What is there already would begin anew.
      for (const { id: source } of added) {
        for (const operation of serviceOperations) requestSeconds.zero({ source, operation });
        redelivery.zero({ source });
      }
      for (const { id: source } of sources) {
        start({ source });
        // Records that no drain selects may be settled too.
        settled?.counter.inc({ source, drain: "none" }, 0);
        halted.inc({ source }, 0);
      }
      for (const { name: drain, source, rules } of drains) {
        start({ drain });
        start({ source: source.id, drain });
        const names = new Set([...rules.map(({ name }) => name), noRule]);
        rulesOf.set(drain, names);
        for (const rule of names) ruleDecisions.inc({ drain, rule }, 0);
      }
      for (const { name: index } of indexes) start({ index });
    },

    emit(event: RedriverEvent): void {
      for (const { on, labelNames, counter } of countersOf.get(event.type) ?? []) {
        const counted = on[event.type]?.(event as never);
        if (counted === undefined || counted === 0) continue;
        const labels = labelsOf(event, labelNames);
        if (typeof counted === "number") counter.inc(labels, counted);
        else for (const [own, count] of counted) counter.inc({ ...labels, ...own }, count);
      }
      measured[event.type]?.(event as never);
    },
  };
}

/** Without decisions that no rule could make, as of what was published before. */
function byRule(records: EventOf<"record:decided">["records"]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { decision } of records) {
    const rule = decision.rule ?? (decision.reason === noRule ? noRule : null);
    if (rule !== null) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  return counts;
}

/** The fields of an event that are labels. Records that no drain selects count for the drain `none`. */
function labelsOf(event: RedriverEvent, names: readonly string[]): Labels {
  const fields = event as { readonly [field: string]: string | boolean | null };
  const labels: Record<string, string> = {};
  for (const name of names) labels[name] = String(fields[name] ?? "none");
  return labels;
}
