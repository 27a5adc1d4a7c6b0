import type { LoggedPass } from "./daemon-process.ts";
import type { Verdict } from "./judge.ts";
import type { SentMessage } from "./message-api.ts";
import type { Metrics } from "./metrics.ts";
import { drainName } from "./plan-messages.ts";

/** Of the run itself. */
export interface RunFigures {
  readonly durationMs: number;
  readonly daemonPeakBytes: number | null;
  readonly metricsUrl: string;
}

export interface Summary extends RunFigures {
  readonly published: number;
  /** By the daemon: records on the pages of all passes, each pass counted. */
  readonly listed: number;
  readonly passes: number;
  readonly republished: number;
  /** By the daemon: redriven messages that died again, because the receiver was still down. */
  readonly comeBacks: number;
  readonly held: number;
  readonly parked: number;
  readonly deleted: number;
  /** By the receiver, and so are the next two. */
  readonly deliveredOnce: number;
  readonly lost: number;
  readonly doubled: number;
  readonly differences: readonly string[];
}

export interface Findings extends RunFigures {
  readonly published: readonly SentMessage[];
  readonly passes: readonly LoggedPass[];
  readonly metrics: Metrics;
  readonly verdict: Verdict;
}

/** What the daemon says of itself comes from its metrics and its log, what became of the messages from the receiver. */
export function toSummary(findings: Findings): Summary {
  const { metrics, passes, verdict } = findings;
  const count = (name: string, labels?: Readonly<Record<string, string>>): number =>
    metrics.sum(name, labels) ?? 0;
  return {
    published: findings.published.length,
    listed: passes.reduce((total, { counts }) => total + (counts["listed"] ?? 0), 0),
    passes: passes.length,
    republished: count("redriver_published_total"),
    comeBacks: count("redriver_come_backs_total"),
    held: count("redriver_records", { drain: drainName, state: "held" }),
    parked: count("redriver_records", { drain: drainName, state: "parked" }),
    deleted: count("redriver_settled_total"),
    deliveredOnce: verdict.deliveredOnce,
    lost: verdict.lost,
    doubled: verdict.doubled,
    durationMs: findings.durationMs,
    daemonPeakBytes: findings.daemonPeakBytes,
    metricsUrl: findings.metricsUrl,
    differences: verdict.differences,
  };
}

const labelWidth = 24;

export type SummaryRow = readonly [label: string, value: string | number, remark?: string];

/** Rows, then how it ended: what was promised, or what is not as it had to be. Ends with a newline. */
export function toReport(
  rows: readonly SummaryRow[],
  { promise, differences }: { readonly promise: string; readonly differences: readonly string[] },
): string {
  const lines = rows.map(
    ([label, value, remark]) =>
      `${label.padEnd(labelWidth)}${value}${remark === undefined ? "" : `  (${remark})`}\n`,
  );
  const ending =
    differences.length === 0
      ? `${promise}\n`
      : `Not as it had to be:\n${differences.map((line) => `  ${line}\n`).join("")}`;
  return `${lines.join("")}\n${ending}`;
}

/** What every story says of its run, behind its own rows. */
export function toRunRows(run: RunFigures): readonly SummaryRow[] {
  return [
    ["duration", `${(run.durationMs / 1_000).toFixed(1)} s`],
    ...(run.daemonPeakBytes === null
      ? []
      : [["daemon's peak memory", `${Math.round(run.daemonPeakBytes / 1_048_576)} MiB`] as const]),
    ["metrics", run.metricsUrl],
  ];
}

/** The summary as a person reads it. Ends with a newline. */
export function toSummaryText(summary: Summary): string {
  const rows: readonly SummaryRow[] = [
    ["published", summary.published],
    ["listed", summary.listed, `in ${summary.passes} passes`],
    [
      "republished",
      summary.republished,
      `${summary.comeBacks} of them died again while the receiver was down`,
    ],
    ["deleted", summary.deleted],
    ["held", summary.held],
    ["parked", summary.parked],
    ["delivered exactly once", summary.deliveredOnce],
    ["lost", summary.lost],
    ["doubled", summary.doubled],
    ...toRunRows(summary),
  ];
  const promise =
    "Every message that the rules wanted redriven was delivered exactly once; the DLQ holds what they held back.";
  return toReport(rows, { promise, differences: summary.differences });
}
