import { callbackOutcomes } from "../job/contracts/callbacks.ts";
import {
  serviceOperations,
  deliveriesOutcomes,
  doubleReasons,
  passOutcomes,
  requestOutcomes,
  type EventOf,
  type RedriverEvent,
} from "../job/contracts/events.ts";
import { noticeKinds } from "../job/contracts/notices.ts";
import { parkReasons } from "../job/message/park-reasons.ts";
import {
  dropReasons,
  holdReasons,
  republishReasons,
  settleReasons,
  type Decision,
} from "../job/rules/decision.ts";

export type Labels = Readonly<Record<string, string>>;
type Group = readonly [own: Labels, count: number];
/** A counter has series for each drain, source, drain with its source, or index; none: for the process. */
type Owner = readonly ("source" | "drain" | "index")[];

/** For one event: by how much the counter rises, also by labels that are no fields of the event. */
type Rule<Type extends RedriverEvent["type"]> = (event: EventOf<Type>) => number | readonly Group[];

interface CounterRow {
  readonly owner: Owner;
  readonly name: string;
  readonly help: string;
  readonly on: { readonly [Type in RedriverEvent["type"]]?: Rule<Type> };
  /** Every combination of the counter's own labels. */
  readonly series: readonly Labels[];
}

function row(
  owner: Owner,
  name: string,
  help: string,
  on: CounterRow["on"],
  series: readonly Labels[] = [{}],
): CounterRow {
  return { owner, name, help, on, series };
}

const once = (): number => 1;
const ended = [{ outcome: "ok" }, { outcome: "failed" }] as const;
const ok = (): readonly Group[] => [[ended[0], 1]];
const failed = (): readonly Group[] => [[ended[1], 1]];

/** The kinds of contracts/work-queue.ts, the workers themselves, and the loops of the daemon. */
const jobKinds = [
  "tick",
  "window",
  "sweep",
  "census",
  "statistics",
  "notices",
  "digest",
  "notify",
  "queue",
  "daemon",
  "unknown",
];
const reasons: Readonly<Record<Decision["then"], readonly string[]>> = {
  republish: republishReasons,
  drop: dropReasons,
  hold: holdReasons,
  park: parkReasons,
  settle: settleReasons,
};
const truths = ["true", "false"];

/** What a process has counted of its events. The order is that of docs/metrics.md. */
export const counterRows = [
  row(
    ["drain"],
    "redriver_decisions_total",
    "Decisions made, those of plan mode included.",
    { "record:decided": (event) => byReason(event).map(([{ decision }, count]) => [{ decision }, count]) },
    Object.keys(reasons).map((decision) => ({ decision })),
  ),
  // More than fifty reasons: of each drain they would be half of all series.
  row(
    ["source"],
    "redriver_decision_reasons_total",
    "The same decisions with their reasons, of all drains of the source.",
    { "record:decided": byReason },
    Object.entries(reasons).flatMap(([decision, all]) => all.map((reason) => ({ decision, reason }))),
  ),
  row(
    ["drain"],
    "redriver_published_total",
    "Dead letters that were proven published.",
    { "record:published": byDeduplicated },
    truths.map((deduplicated) => ({ deduplicated })),
  ),
  row(["source", "drain"], "redriver_settled_total", "Dead letters deleted after proof.", {
    "record:settled": ({ count }) => count,
  }),
  row(["source", "drain"], "redriver_come_backs_total", "Redriven messages that were found dead again.", {
    "record:come-back": ({ records }) => records.length,
  }),
  row(["source", "drain"], "redriver_canaries_total", "Dead letters that were published as canaries.", {
    "record:published": countCanaries,
  }),
  row(["source", "drain"], "redriver_canary_come_backs_total", "Canaries that were found dead again.", {
    "record:come-back": countCanaries,
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
    ["source"],
    "redriver_deliveries_asked_total",
    "How often the service was asked what is under way (watchDeliveries).",
    { "deliveries:asked": once },
    deliveriesOutcomes.map((outcome) => ({ outcome })),
  ),
  row(
    ["drain"],
    "redriver_passes_total",
    "Passes closed.",
    { "pass:closed": once },
    passOutcomes.map((outcome) => ({ outcome })),
  ),
  // A histogram of each drain would have nineteen series; passes are counted above.
  row(["drain"], "redriver_pass_seconds_total", "How long passes were open, in sum.", {
    "pass:closed": ({ durationMs }) => durationMs / 1_000,
  }),
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
    "redriver_notices_total",
    "Notices to people, by what became of them.",
    { "notice:delivered": byNotice("delivered"), "notice:dropped": byNotice("dropped") },
    noticeKinds
      .filter((event) => event !== "test")
      .flatMap((event) => ["delivered", "dropped"].map((outcome) => ({ event, outcome }))),
  ),
  row(
    [],
    "redriver_job_failures_total",
    "Jobs that failed.",
    { "job:failed": ({ givenUp }) => [[{ given_up: String(givenUp) }, 1]] },
    jobKinds.flatMap((kind) => truths.map((given_up) => ({ kind, given_up }))),
  ),
];

function byNotice(outcome: string) {
  return ({ notices }: EventOf<"notice:delivered" | "notice:dropped">): readonly Group[] =>
    notices.map(({ event }) => [{ event, outcome }, 1]);
}

function countCanaries({ records }: EventOf<"record:published" | "record:come-back">): number {
  return records.filter(({ canary }) => canary).length;
}

/** A page has few kinds of decisions, so they are searched one after the other. */
function byReason({ records }: EventOf<"record:decided">) {
  const groups: { readonly then: string; readonly reason: string; count: number }[] = [];
  for (const { decision } of records) {
    const { then, reason } = decision;
    const group = groups.find((one) => one.reason === reason && one.then === then);
    if (group === undefined) groups.push({ then, reason, count: 1 });
    else group.count += 1;
  }
  return groups.map(({ then, reason, count }) => [{ decision: then, reason }, count] as const);
}

function byDeduplicated({ records }: EventOf<"record:published">): readonly Group[] {
  const hits = records.filter(({ deduplicated }) => deduplicated).length;
  return [
    [{ deduplicated: "true" }, hits],
    [{ deduplicated: "false" }, records.length - hits],
  ];
}

export function labelsOfRow({ owner, series }: Pick<CounterRow, "owner" | "series">): readonly string[] {
  return [...owner, ...Object.keys(series[0] ?? {})];
}
