/** A report as its page shows it, and as Markdown that people paste into a post mortem. Times are in UTC. */
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toDestinationText } from "../destination-text.ts";
import type { ActRow } from "../history/act-rows.ts";
import { laneMoveText, reasonText } from "../history/rows.ts";
import { number, present, toLeft, toMinute, toTimes } from "../phrases.ts";
import { eachFigure, figureWords, type Figure } from "./count.ts";
import type { OutageReport } from "./read.ts";

const sum = ["sentAgain", "dropped", "discarded", "expired", "gone", "waitsAfter"] as const;
type Cell = string | number | null | undefined;
type Table = readonly [title: string, head: readonly string[], rows: readonly (readonly Cell[])[]];

/** Sentences and tables in reading order. Others have named what stands in them. */
export function toParts(report: OutageReport): readonly (string | Table)[] {
  const { from, to, figures, delays, hosts, acts, unknown, ofNoDrain, expiredSince } = report;
  const of = (name: Figure): string => toCell(figures[name]);
  const isWhole = (["waitedBefore", "arrived", ...sum] as const).every((name) => figures[name] !== null);
  const parts: readonly (string | Table)[] = [
    `From ${toMinute(from)} to ${toMinute(to)} UTC, ${of("arrived")} dead letters arrived, ${of("sentAgain")} were sent again, ${of("failedAgain")} failed again, ${of("expired")} expired, and ${of("waitsAfter")} wait.`,
    ["In all", ["what", "messages"], Object.values(eachFigure((name) => [figureWords[name], figures[name]]))],
    delays === null
      ? ""
      : `From entry to sent again: median ${formatDuration(delays.medianMs)}, p99 ${formatDuration(delays.p99Ms)}.`,
    isWhole ? `It adds up: ${of("waitedBefore")} + ${of("arrived")} = ${sum.map(of).join(" + ")}.` : "",
    ofNoDrain > 0 ? `In no figure: ${toLeft(ofNoDrain, { expiredSince })} of no drain, as counted last.` : "",
    ["By host", ["host", "sent again", "failed again", "waiting"], hosts.map(Object.values<Cell>)],
    ["Acts", ["UTC", "who", "did", "messages", "where", "why"], acts.map(toActCells)],
    ["Not known", ["what", "why"], unknown.map(({ figure, why }) => [figureWords[figure], why])],
  ];
  return parts.filter((part) => (typeof part === "string" ? part : part[2]).length > 0);
}

export const toCell = (cell: Cell): string =>
  typeof cell === "number" ? number(cell) : toPrintable(cell ?? "–");

export const toTitle = ({ host }: OutageReport) => `Outage report${host === null ? "" : ` of ${host}`}`;

export function toMarkdown(report: OutageReport): string {
  const parts = toParts(report).map((part) => (typeof part === "string" ? part : toTable(part)));
  return `${[`# ${toTitle(report)}`, ...parts].join("\n\n")}\n`;
}

function toActCells(row: ActRow): readonly Cell[] {
  const { at, since, by, act, count, ordered, lane, host, hosts, drain } = row;
  const where = toDestinationText(lane?.origin ?? host ?? hosts.top[0]?.key ?? drain ?? "all");
  const why = present([row.why, reasonText(row), laneMoveText(row)]).join("; ");
  const many = ordered === undefined ? count || "–" : `${number(ordered)} ordered`;
  return [toTimes(since, at).replaceAll(" UTC", ""), by, act, many, where, why];
}

function toTable([title, head, rows]: Table): string {
  const all = [head, head.map(() => "---"), ...rows];
  const cells = all.map((row) => row.map((cell) => toCell(cell).replaceAll("|", "\\|")));
  return [`## ${title}\n`, ...cells.map((row) => `| ${row.join(" | ")} |`)].join("\n");
}
