import { drainName } from "./plan-messages.ts";
import type { ReceiverOutageResult } from "./receiver-outage-story.ts";
import type { RunFigures } from "./run-story.ts";
import type { ScrapedMetrics } from "./scraped-metrics.ts";

export type DemoSummary = ReturnType<typeof toSummary>;

/** What the daemon did comes from its metrics and its log, what became of the messages from the receiver. */
export function toSummary(result: ReceiverOutageResult, metrics: ScrapedMetrics, run: RunFigures) {
  const { passes, verdict, sent } = result;
  const count = (name: string, labels?: Readonly<Record<string, string>>): number =>
    metrics.sum(name, labels) ?? 0;
  return {
    published: sent.length,
    /** Records on the pages of all passes, each pass counted. */
    listed: passes.reduce((total, { counts }) => total + (counts["listed"] ?? 0), 0),
    passes: passes.length,
    republished: count("redriver_published_total"),
    /** Redriven messages that died again, because the receiver was still down. */
    comeBacks: count("redriver_come_backs_total"),
    held: count("redriver_records", { drain: drainName, state: "held" }),
    parked: count("redriver_records", { drain: drainName, state: "parked" }),
    deleted: count("redriver_settled_total"),
    ...verdict,
    ...run,
  };
}

export const toSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

const labelWidth = 24;

export type SummaryRow = readonly [label: string, value: string | number, remark?: string];

/** Rows, then how it ended: what was promised, or what is not as it had to be. Ends with a newline. */
export function toReport(
  rows: readonly SummaryRow[],
  promise: string,
  summary: RunFigures & { readonly differences: readonly string[] },
): string {
  const peak = summary.daemonPeakBytes;
  const runRows: readonly SummaryRow[] = [
    ["duration", toSeconds(summary.durationMs)],
    ...(peak === null ? [] : [["daemon's peak memory", `${Math.round(peak / 1_048_576)} MiB`] as const]),
    ["metrics", summary.metricsUrl],
  ];
  const lines = [...rows, ...runRows].map(
    ([label, value, remark]) =>
      `${label.padEnd(labelWidth)}${value}${remark === undefined ? "" : `  (${remark})`}\n`,
  );
  const { differences } = summary;
  const ending =
    differences.length === 0
      ? `${promise}\n`
      : `Not as it had to be:\n${differences.map((line) => `  ${line}\n`).join("")}`;
  return `${lines.join("")}\n${ending}`;
}

/** The summary as a person reads it. Ends with a newline. */
export function toSummaryText(summary: DemoSummary): string {
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
  ];
  const promise =
    "Every message that the rules wanted redriven was delivered exactly once; the DLQ holds what they held back.";
  return toReport(rows, promise, summary);
}
