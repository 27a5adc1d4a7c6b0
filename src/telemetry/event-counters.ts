import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from "prom-client";
import { callbackOutcomes } from "../ports/callbacks.ts";
import {
  doubleReasons,
  passOutcomes,
  requestOutcomes,
  serviceOperations,
  type EventOf,
  type RedriverEvent,
} from "../ports/events.ts";
import { parkReasons } from "../message/park-reasons.ts";
import {
  dropReasons,
  holdReasons,
  republishReasons,
  settleReasons,
  type Decision,
} from "../rules/decision.ts";

/** The part of a drains document that metrics need. */
export interface MeasuredDocument {
  readonly hash: string;
  readonly sources: readonly { readonly id: string }[];
  readonly drains: readonly { readonly name: string; readonly source: { readonly id: string } }[];
  readonly indexes: readonly { readonly name: string }[];
  /** Only its presence counts. */
  readonly archive?: object;
}

type Labels = Readonly<Record<string, string>>;
/** A counter has series for each drain, source, drain with its source, or index; none: for the process. */
type Owner = readonly ("source" | "drain" | "index")[];

/** For one event: by how much the counter rises, or its own labels that are no fields of the event. */
type Rule<Type extends RedriverEvent["type"]> = (event: EventOf<Type>) => number | Labels;

interface CounterRow {
  readonly owner: Owner;
  readonly name: string;
  readonly help: string;
  readonly on: { readonly [Type in RedriverEvent["type"]]?: Rule<Type> };
  /** Every combination of the counter's own labels. */
  readonly series: readonly Labels[];
}

function row<On extends CounterRow["on"]>(
  owner: Owner,
  name: string,
  help: string,
  on: On,
  series: readonly Labels[] = [{}],
): Omit<CounterRow, "on"> & { readonly on: On } {
  return { owner, name, help, on, series };
}

const once = (): number => 1;
const ok = (): Labels => ({ outcome: "ok" });
const failed = (): Labels => ({ outcome: "failed" });

/** The kinds of ports/work-queue.ts, the workers themselves, and the loops of the daemon. */
const jobKinds = ["tick", "window", "sweep", "census", "statistics", "queue", "daemon", "unknown"];
const reasons: Readonly<Record<Decision["then"], readonly string[]>> = {
  republish: republishReasons,
  drop: dropReasons,
  hold: holdReasons,
  park: parkReasons,
  settle: settleReasons,
};
const ended = [ok(), failed()];
const truths = ["true", "false"];

const rows = [
  row(
    ["drain"],
    "redriver_decisions_total",
    "Decisions made, those of plan mode included.",
    { "record:decided": ({ decision: { then, reason } }) => ({ decision: then, reason }) },
    Object.entries(reasons).flatMap(([decision, all]) => all.map((reason) => ({ decision, reason }))),
  ),
  row(
    ["drain"],
    "redriver_published_total",
    "Dead letters that were proven published.",
    { "record:published": once },
    truths.map((deduplicated) => ({ deduplicated })),
  ),
  row(["source", "drain"], "redriver_settled_total", "Dead letters deleted after proof.", {
    "record:settled": ({ count }) => count,
  }),
  row(["source", "drain"], "redriver_come_backs_total", "Redriven messages that were found dead again.", {
    "record:come-back": once,
  }),
  row(["source", "drain"], "redriver_canaries_total", "Dead letters that were published as canaries.", {
    "record:published": ({ canary }) => Number(canary),
  }),
  row(["source", "drain"], "redriver_canary_come_backs_total", "Canaries that were found dead again.", {
    "record:come-back": ({ canary }) => Number(canary),
  }),
  row(["source", "drain"], "redriver_unknown_outcomes_total", "Dead letters whose publish got no answer.", {
    "outcome:unknown": ({ dlqIds }) => dlqIds.length,
  }),
  row(
    ["drain"],
    "redriver_declared_doubles_total",
    "Republishes that may be a second delivery.",
    { "double:declared": once },
    doubleReasons.map((why) => ({ why })),
  ),
  row(["drain"], "redriver_found_doubles_total", "Republishes that are known to be a second delivery.", {
    "double:found": once,
  }),
  row(
    ["source"],
    "redriver_archive_copies_total",
    "Dead letters near their expiry that were copied to the archive.",
    { "archive:copied": ({ count }) => count },
  ),
  row(
    ["source"],
    "redriver_archive_failures_total",
    "Times the archive could not keep dead letters; nothing that needed it was deleted.",
    { "archive:failed": once },
  ),
  row(
    ["source"],
    "redriver_passed_over_records_total",
    "Times a listing passed over a record that is too large to be read.",
    { "record:passed-over": once },
  ),
  row(["source"], "redriver_short_deletes_total", "Deletes that deleted fewer than asked.", {
    "delete:short": once,
  }),
  row(
    ["source"],
    "redriver_service_requests_total",
    "Requests to the message service.",
    { "service:answered": once },
    serviceOperations.flatMap((operation) => requestOutcomes.map((outcome) => ({ operation, outcome }))),
  ),
  row(
    ["source"],
    "redriver_callbacks_total",
    "Calls to the callback address of a source.",
    { "callback:received": once },
    callbackOutcomes.map((outcome) => ({ outcome })),
  ),
  row(
    ["drain"],
    "redriver_passes_total",
    "Passes closed.",
    { "pass:closed": once },
    passOutcomes.map((outcome) => ({ outcome })),
  ),
  row(["drain"], "redriver_window_failures_total", "Windows that failed.", { "window:failed": once }),
  row(
    ["source"],
    "redriver_sweeps_total",
    "Sweeps ended.",
    { "sweep:finished": ok, "sweep:failed": failed },
    ended,
  ),
  row(
    ["source"],
    "redriver_censuses_total",
    "Listings without filter ended.",
    { "census:taken": ok, "census:failed": failed },
    ended,
  ),
  row(
    ["index"],
    "redriver_statistics_readings_total",
    "Readings of search index statistics.",
    { "statistics:read": ok, "statistics:failed": failed },
    ended,
  ),
  row(["source"], "redriver_ledger_lost_writes_total", "Times Redis came back without writes.", {
    "ledger:lost-writes": once,
  }),
  row(
    [],
    "redriver_job_failures_total",
    "Jobs that failed.",
    { "job:failed": ({ givenUp }) => ({ given_up: String(givenUp) }) },
    jobKinds.flatMap((kind) => truths.map((given_up) => ({ kind, given_up }))),
  ),
];

type TypeOf<Row> = Row extends { readonly on: infer On } ? keyof On : never;
type CountedType = TypeOf<(typeof rows)[number]>;
type MeasuredType =
  | "service:answered"
  | "pass:closed"
  | "document:adopted"
  | "document:rejected"
  | "archive:volume-seen"
  | "source:halted"
  | "source:resumed";

/** No metric here. The compiler asks for a decision about each new event. */
const unmeasured = {
  "pass:opened": true,
  "source:waiting": true,
  "source:token-read": true,
  "source:dates-learned": true,
  // The states of guards, lanes and Redis are facts of Redis: drain-and-source-gauges.ts.
  "guard:closed": true,
  "guard:opened": true,
  "lane:moved": true,
  "redis:lost": true,
  "redis:ready": true,
  "redis:unfit": true,
  "redis:fit": true,
  "process:warned": true,
  "daemon:started": true,
  "daemon:stopping": true,
  "daemon:stopped": true,
} satisfies Readonly<Record<Exclude<RedriverEvent["type"], CountedType | MeasuredType>, true>>;

/** 10 ms to 41 s: a page takes tens of ms, a batch may wait 30 s for its answer. */
const requestBuckets = exponentialBuckets(0.01, 2, 13);
/** 0.1 s to 55 min: from an empty pass to one over a hundred thousand records. */
const passBuckets = exponentialBuckets(0.1, 2, 16);

/** Counts of this process's events. Per replica, so queries take the sum of rates. */
export function createEventCounters(registry: Registry) {
  const registers = [registry];
  const counters = (rows as readonly CounterRow[]).map(({ owner, name, help, on, series }) => {
    const labelNames = [...owner, ...Object.keys(series[0] ?? {})];
    return { owner, on, series, labelNames, counter: new Counter({ name, help, labelNames, registers }) };
  });
  const requestSeconds = new Histogram({
    name: "redriver_service_request_duration_seconds",
    help: "How long requests to the message service took.",
    labelNames: ["source", "operation"],
    buckets: requestBuckets,
    registers,
  });
  const passSeconds = new Histogram({
    name: "redriver_pass_duration_seconds",
    help: "How long passes were open.",
    labelNames: ["drain"],
    buckets: passBuckets,
    registers,
  });
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers });
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
  // Events of single records are frequent, so each event finds its own counters only.
  const countersOf = new Map<string, typeof counters>();
  for (const one of counters) {
    for (const type of Object.keys(one.on)) countersOf.set(type, [...(countersOf.get(type) ?? []), one]);
  }
  const settled = counters.find(({ on }) => on["record:settled"] !== undefined);

  /** Metrics that are no counters. */
  const measured: { readonly [Type in MeasuredType]: (event: EventOf<Type>) => void } = {
    "service:answered": ({ source, operation, durationMs }) =>
      requestSeconds.observe({ source, operation }, durationMs / 1_000),
    "pass:closed": ({ drain, durationMs }) => passSeconds.observe({ drain }, durationMs / 1_000),
    "document:adopted": ({ at }) => {
      reloadSuccessful.set(1);
      reloadedAt.set(at / 1_000);
    },
    "document:rejected": () => reloadSuccessful.set(0),
    "archive:volume-seen": ({ verdict }) => {
      archiveVolume.reset();
      archiveVolume.set({ verdict }, 1);
    },
    "source:halted": ({ source }) => halted.set({ source }, 1),
    "source:resumed": ({ source }) => halted.set({ source }, 0),
  };

  let known: readonly string[] = [];
  return {
    /**
     * Makes every series of the document's sources, drains and indexes exist, at 0. Others stay as they are.
     */
    adopt({ hash, sources, drains, indexes, archive }: MeasuredDocument): void {
      if (archive === undefined) archiveVolume.reset();
      configInfo.reset();
      configInfo.set({ hash }, 1);
      for (const source of known) {
        // A removed source is never resumed.
        if (!sources.some(({ id }) => id === source)) halted.remove({ source });
      }
      known = sources.map(({ id }) => id);
      for (const { id: source } of sources) {
        start({ source });
        // Records that no drain selects may be settled too.
        settled?.counter.inc({ source, drain: "none" }, 0);
        for (const operation of serviceOperations) requestSeconds.zero({ source, operation });
        halted.inc({ source }, 0);
      }
      for (const { name: drain, source } of drains) {
        start({ drain });
        start({ source: source.id, drain });
        passSeconds.zero({ drain });
      }
      for (const { name: index } of indexes) start({ index });
    },

    emit(event: RedriverEvent): void {
      if (event.type in unmeasured) return;
      for (const { on, labelNames, counter } of countersOf.get(event.type) ?? []) {
        const counted = on[event.type]?.(event as never);
        if (typeof counted === "number") counter.inc(labelsOf(event, labelNames), counted);
        else if (counted !== undefined) counter.inc({ ...labelsOf(event, labelNames), ...counted });
      }
      (measured as Partial<Record<RedriverEvent["type"], (event: never) => void>>)[event.type]?.(
        event as never,
      );
    },
  };
}

/** The fields of an event that are labels. Records that no drain selects count for the drain `none`. */
function labelsOf(event: RedriverEvent, names: readonly string[]): Labels {
  const fields = event as { readonly [field: string]: string | boolean | null };
  return Object.fromEntries(names.map((name) => [name, String(fields[name] ?? "none")]));
}
