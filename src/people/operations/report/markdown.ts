/** A report as its page shows it, and as Markdown that people paste into a post mortem. Times are in UTC. */
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { actColumns } from "../history/rows.ts";
import { number, toLeft, toMinute } from "../phrases.ts";
import { eachFigure, figureWords } from "./count.ts";
import type { OutageReport } from "./read.ts";

type Cell = string | number | null | undefined;
type Row = readonly Cell[];
type Table = readonly [title: string, head: readonly string[], rows: readonly Row[]];

export function toTables(report: OutageReport): readonly Table[] {
  const { since, from, to, host, figures, delays, hosts, acts } = report;
  const whys = new Map<string, string>(report.unknown.map(({ figure, why }) => [figure, why]));
  const rows: readonly Row[] = [
    ...Object.values(eachFigure((name) => [figureWords[name], figures[name], whys.get(name) ?? ""])),
    ["calls of the service", null, "counted in metrics alone"],
    ["from entry to sent again: median", delays && formatDuration(delays.medianMs), ""],
    ["from entry to sent again: p99", delays && formatDuration(delays.p99Ms), ""],
    ["of no drain", toLeft(report.ofNoDrain, report), "in no figure above, as counted last"],
  ];
  const cut: readonly Row[] = since < from ? [["earlier", null, "acts are kept for 30 days or 256 MiB"]] : [];
  const last = acts.length < 200 ? "Acts" : "The last 200 acts: redriver history has the earlier ones";
  const title = `From ${toMinute(from)} to ${toMinute(to)} UTC, ${host ?? "all hosts"}`;
  return [
    [title, ["what", "messages", "note"], [...cut, ...rows]],
    ["By host", ["host", "sent again", "failed again", "waiting"], hosts.map(Object.values<Cell>)],
    [last, Object.keys(actColumns), acts.map((row) => Object.values(actColumns).map((of) => of(row)))],
  ];
}

export const toCell = (cell: Cell) => (typeof cell === "number" ? number(cell) : toPrintable(cell ?? "–"));
const toLine = (row: Row) => `| ${row.map((cell) => toCell(cell).replaceAll("|", "\\|")).join(" | ")} |`;

export function toMarkdown(report: OutageReport): string {
  const tables = toTables(report).map(([title, head, rows]) =>
    [`## ${title}\n`, ...[head, head.map(() => "---"), ...rows].map(toLine)].join("\n"),
  );
  return `${["# Outage report", ...tables].join("\n\n")}\n`;
}
