import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from "prom-client";
import { callbackOutcomes } from "../ports/callbacks.ts";
import { requestOutcomes, type Events, type RedriverEvent, type ServiceOperation } from "../ports/events.ts";
import type { Decision } from "../rules/decision.ts";

/** The part of a drains document that metrics need; a DrainsDocument fits. */
export interface MeasuredDocument {
  readonly hash: string;
  readonly sources: readonly { readonly id: string }[];
  readonly drains: readonly { readonly name: string; readonly source: { readonly id: string } }[];
  readonly indexes: readonly { readonly name: string }[];
  /** Only whether there is one. */
  readonly archive?: object;
}

/** Every reason that a decision can carry, from rules/decision.ts. */
export type ReasonsByDecision = Readonly<Record<Decision["then"], readonly string[]>>;

export interface EventCounters extends Events {
  /** Makes every series of the document's sources, drains and indexes exist, at 0. Series of others stay as they are. */
  adopt(document: MeasuredDocument): void;
}

type EventOf<Type extends RedriverEvent["type"]> = Extract<RedriverEvent, { type: Type }>;
/** The values of a closed set as an object that the compiler holds complete. */
const operations = { list: 0, batch: 0, delete: 0 } satisfies Record<ServiceOperation, 0>;
const passOutcomes = { complete: 0, partial: 0, abandoned: 0 } satisfies Record<
  EventOf<"pass:closed">["outcome"],
  0
>;
const doubles = {
  "unknown-outcome-past-window": 0,
  "released-past-window": 0,
} satisfies Record<EventOf<"double:declared">["why"], 0>;
const endings = ["ok", "failed"] as const;
/** The kinds of ports/queue.ts, the workers themselves, and the loops of the daemon. */
const jobKinds = ["tick", "window", "sweep", "census", "statistics", "queue", "daemon", "unknown"] as const;

/** 10 ms to 41 s: a page takes tens of ms, a batch may wait 30 s for its answer. */
const requestBuckets = exponentialBuckets(0.01, 2, 13);
/** 0.1 s to 55 min: a pass over nothing, to one over a hundred thousand records. */
const passBuckets = exponentialBuckets(0.1, 2, 16);

/** What this process did, counted from events. Per replica, so queries take the sum of rates. */
export function createEventCounters(registry: Registry, reasons: ReasonsByDecision): EventCounters {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name, help, labelNames, registers });

  const decisions = counter("redriver_decisions_total", "Decisions made, those of plan mode included.", [
    "drain",
    "decision",
    "reason",
  ]);
  const published = counter("redriver_published_total", "Dead letters that were proven published.", [
    "drain",
    "deduplicated",
  ]);
  const settled = counter("redriver_settled_total", "Dead letters deleted after proof.", ["source", "drain"]);
  const comeBacks = counter("redriver_come_backs_total", "Redriven messages that were found dead again.", [
    "source",
    "drain",
  ]);
  const canaries = counter("redriver_canaries_total", "Dead letters that were published as canaries.", [
    "source",
    "drain",
  ]);
  const canaryComeBacks = counter(
    "redriver_canary_come_backs_total",
    "Canaries that were found dead again.",
    ["source", "drain"],
  );
  const unknown = counter("redriver_unknown_outcomes_total", "Dead letters whose publish got no answer.", [
    "source",
    "drain",
  ]);
  const declared = counter("redriver_declared_doubles_total", "Republishes that may be a second delivery.", [
    "drain",
    "why",
  ]);
  const found = counter(
    "redriver_found_doubles_total",
    "Republishes that are known to be a second delivery.",
    ["drain"],
  );
  const copied = counter(
    "redriver_archive_copies_total",
    "Dead letters near their expiry that were copied to the archive.",
    ["source"],
  );
  const archiveFailures = counter(
    "redriver_archive_failures_total",
    "Times the archive could not keep dead letters; nothing that needed it was deleted.",
    ["source"],
  );
  const archiveVolume = new Gauge({
    name: "redriver_archive_volume",
    help: "1 for how the archive's volume looks: fit, doubtful (ends with its container) or unfit (nothing is dropped).",
    labelNames: ["verdict"],
    registers,
  });
  const passedOver = counter(
    "redriver_passed_over_records_total",
    "Times a listing passed over a record that is too large to be read.",
    ["source"],
  );
  const short = counter("redriver_short_deletes_total", "Deletes that deleted fewer than asked.", ["source"]);
  const requests = counter("redriver_service_requests_total", "Requests to the message service.", [
    "source",
    "operation",
    "outcome",
  ]);
  const requestSeconds = new Histogram({
    name: "redriver_service_request_duration_seconds",
    help: "How long requests to the message service took.",
    labelNames: ["source", "operation"],
    buckets: requestBuckets,
    registers,
  });
  const callbacks = counter("redriver_callbacks_total", "Calls to the callback address of a source.", [
    "source",
    "outcome",
  ]);
  const passes = counter("redriver_passes_total", "Passes closed.", ["drain", "outcome"]);
  const passSeconds = new Histogram({
    name: "redriver_pass_duration_seconds",
    help: "How long passes were open.",
    labelNames: ["drain"],
    buckets: passBuckets,
    registers,
  });
  const windowFailures = counter("redriver_window_failures_total", "Windows that failed.", ["drain"]);
  const sweeps = counter("redriver_sweeps_total", "Sweeps ended.", ["source", "outcome"]);
  const censuses = counter("redriver_censuses_total", "Listings without filter ended.", [
    "source",
    "outcome",
  ]);
  const readings = counter("redriver_statistics_readings_total", "Readings of search index statistics.", [
    "index",
    "outcome",
  ]);
  const lostWrites = counter("redriver_ledger_lost_writes_total", "Times Redis came back without writes.", [
    "source",
  ]);
  const jobFailures = counter("redriver_job_failures_total", "Jobs that failed.", ["kind", "given_up"]);
  const halted = new Gauge({
    name: "redriver_source_halted",
    help: "1 while this replica publishes nothing through the source, because it halted it.",
    labelNames: ["source"],
    registers,
  });
  const configInfo = new Gauge({
    name: "redriver_config_info",
    help: "1 for the drains document that this replica works by.",
    labelNames: ["hash"],
    registers,
  });
  const reloadSuccessful = new Gauge({
    name: "redriver_config_last_reload_successful",
    help: "0 while the drains document's file holds something that was not adopted.",
    registers,
  });
  const reloadedAt = new Gauge({
    name: "redriver_config_last_reload_success_timestamp_seconds",
    help: "When the drains document's file was last adopted.",
    registers,
  });
  reloadSuccessful.set(1);
  for (const kind of jobKinds)
    for (const given_up of ["true", "false"]) jobFailures.inc({ kind, given_up }, 0);

  let known: readonly string[] = [];
  return {
    adopt({ hash, sources, drains, indexes, archive }) {
      if (archive === undefined) archiveVolume.reset();
      configInfo.reset();
      configInfo.set({ hash }, 1);
      for (const source of known) {
        // Nobody resumes a source that is no more.
        if (!sources.some(({ id }) => id === source)) halted.remove({ source });
      }
      known = sources.map(({ id }) => id);
      for (const { id: source } of sources) {
        for (const operation of Object.keys(operations)) {
          for (const outcome of requestOutcomes) requests.inc({ source, operation, outcome }, 0);
          requestSeconds.zero({ source, operation });
        }
        for (const ending of endings) {
          sweeps.inc({ source, outcome: ending }, 0);
          censuses.inc({ source, outcome: ending }, 0);
        }
        for (const outcome of callbackOutcomes) callbacks.inc({ source, outcome }, 0);
        passedOver.inc({ source }, 0);
        short.inc({ source }, 0);
        lostWrites.inc({ source }, 0);
        copied.inc({ source }, 0);
        archiveFailures.inc({ source }, 0);
        settled.inc({ source, drain: "none" }, 0);
        halted.inc({ source }, 0);
      }
      for (const { name: drain, source } of drains) {
        for (const [decision, all] of Object.entries(reasons)) {
          for (const reason of all) decisions.inc({ drain, decision, reason }, 0);
        }
        for (const outcome of Object.keys(passOutcomes)) passes.inc({ drain, outcome }, 0);
        for (const why of Object.keys(doubles)) declared.inc({ drain, why }, 0);
        for (const deduplicated of ["true", "false"]) published.inc({ drain, deduplicated }, 0);
        for (const each of [settled, comeBacks, canaries, canaryComeBacks, unknown])
          each.inc({ source: source.id, drain }, 0);
        windowFailures.inc({ drain }, 0);
        found.inc({ drain }, 0);
        passSeconds.zero({ drain });
      }
      for (const { name: index } of indexes) {
        for (const outcome of endings) readings.inc({ index, outcome }, 0);
      }
    },

    emit(event: RedriverEvent) {
      switch (event.type) {
        case "record:decided":
          return decisions.inc({
            drain: event.drain,
            decision: event.decision.then,
            reason: event.decision.reason,
          });
        case "record:published":
          if (event.canary) canaries.inc({ source: event.source, drain: event.drain });
          return published.inc({ drain: event.drain, deduplicated: String(event.deduplicated) });
        case "record:come-back":
          if (event.canary) canaryComeBacks.inc({ source: event.source, drain: event.drain });
          return comeBacks.inc({ source: event.source, drain: event.drain });
        case "record:settled":
          return settled.inc({ source: event.source, drain: event.drain ?? "none" }, event.count);
        case "record:passed-over":
          return passedOver.inc({ source: event.source });
        case "outcome:unknown":
          return unknown.inc({ source: event.source, drain: event.drain }, event.dlqIds.length);
        case "double:declared":
          return declared.inc({ drain: event.drain, why: event.why });
        case "double:found":
          return found.inc({ drain: event.drain });
        case "delete:short":
          return short.inc({ source: event.source });
        case "service:answered": {
          const { source, operation, outcome, durationMs } = event;
          requests.inc({ source, operation, outcome });
          return requestSeconds.observe({ source, operation }, durationMs / 1_000);
        }
        case "callback:received":
          return callbacks.inc({ source: event.source, outcome: event.outcome });
        case "pass:closed":
          passes.inc({ drain: event.drain, outcome: event.outcome });
          return passSeconds.observe({ drain: event.drain }, event.durationMs / 1_000);
        case "window:failed":
          return windowFailures.inc({ drain: event.drain });
        case "sweep:finished":
          return sweeps.inc({ source: event.source, outcome: "ok" });
        case "sweep:failed":
          return sweeps.inc({ source: event.source, outcome: "failed" });
        case "census:taken":
          return censuses.inc({ source: event.source, outcome: "ok" });
        case "census:failed":
          return censuses.inc({ source: event.source, outcome: "failed" });
        case "document:adopted":
          reloadSuccessful.set(1);
          return reloadedAt.set(event.at / 1_000);
        case "document:rejected":
          return reloadSuccessful.set(0);
        case "statistics:read":
          return readings.inc({ index: event.index, outcome: "ok" });
        case "statistics:failed":
          return readings.inc({ index: event.index, outcome: "failed" });
        case "archive:copied":
          return copied.inc({ source: event.source }, event.count);
        case "archive:failed":
          return archiveFailures.inc({ source: event.source });
        case "archive:volume-seen":
          archiveVolume.reset();
          return archiveVolume.set({ verdict: event.verdict }, 1);
        case "ledger:lost-writes":
          return lostWrites.inc({ source: event.source });
        case "job:failed":
          return jobFailures.inc({ kind: event.kind, given_up: String(event.givenUp) });
        case "source:halted":
          return halted.set({ source: event.source }, 1);
        case "source:resumed":
          return halted.set({ source: event.source }, 0);
        case "pass:opened":
        case "source:waiting":
        case "source:token-read":
        case "source:dates-learned":
        // How guards stand is a fact of Redis: queue-gauges.ts.
        case "guard:closed":
        case "guard:opened":
        // How lanes stand as well: in the label of a counter their number would have no end.
        case "lane:moved":
        case "redis:lost":
        case "redis:ready":
        // How fit it is, too.
        case "redis:unfit":
        case "redis:fit":
        case "process:warned":
        case "daemon:started":
        case "daemon:stopping":
        case "daemon:stopped":
          return undefined;
        default:
          return event satisfies never;
      }
    },
  };
}
