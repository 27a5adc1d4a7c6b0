/** A report as people paste it into a post mortem. Times are in UTC. */
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toDestinationText } from "../destination-text.ts";
import type { ActRow } from "../history/act-rows.ts";
import { laneMoveText, reasonText } from "../history/rows.ts";
import { joined, number, present, toLeft, toMinute, toTimes } from "../phrases.ts";
import { eachFigure, figureWords, type Figure } from "./count.ts";
import type { OutageReport } from "./read.ts";

const sum = ["sentAgain", "dropped", "discarded", "expired", "gone", "waitsAfter"] as const;
type Cell = string | number | null | undefined;

export function toMarkdown(report: OutageReport): string {
  const { from, to, host, figures, delays, hosts, acts, unknown, ofNoDrain, expiredSince } = report;
  const of = (name: Figure): string => toCell(figures[name]);
  const isWhole = (["waitedBefore", "arrived", ...sum] as const).every((name) => figures[name] !== null);
  const rows = Object.values(eachFigure((name) => [figureWords[name], figures[name]]));
  return joined(
    `# Outage report${host === null ? "" : ` of ${host}`}\n\n`,
    `From ${toMinute(from)} to ${toMinute(to)} UTC, ${of("arrived")} dead letters arrived, ${of("sentAgain")} were sent again, `,
    `${of("failedAgain")} failed again, ${of("expired")} expired, and ${of("waitsAfter")} wait.\n`,
    toTable(["what", "messages"], rows),
    delays !== null &&
      `\nFrom entry to sent again: median ${formatDuration(delays.medianMs)}, p99 ${formatDuration(delays.p99Ms)}.\n`,
    isWhole && `\nIt adds up: ${of("waitedBefore")} + ${of("arrived")} = ${sum.map(of).join(" + ")}.\n`,
    ofNoDrain > 0 &&
      `\nIn no figure: ${toLeft(ofNoDrain, { expiredSince })} that no drain selects, as counted last.\n`,
    toTable(["host", "sent again", "failed again", "waiting"], hosts.map(Object.values<Cell>)),
    toTable(["UTC", "who", "did", "messages", "where", "why"], acts.map(toActCells)),
    unknown.length > 0 && "\nNot known:\n\n",
    ...unknown.map(({ figure, why }) => `- ${figureWords[figure]}: ${why}\n`),
  );
}

function toActCells(row: ActRow): readonly Cell[] {
  const { at, since, by, act, count, ordered, lane, host, hosts, drain } = row;
  const where = toDestinationText(lane?.origin ?? host ?? hosts.top[0]?.key ?? drain ?? "all");
  const why = present([row.why, reasonText(row), laneMoveText(row)]).join("; ");
  const many = ordered === undefined ? count || "–" : `${number(ordered)} ordered`;
  return [toTimes(since, at).replaceAll(" UTC", ""), by, act, many, where, why];
}

/** Others have named what stands in it. */
function toCell(cell: Cell): string {
  if (typeof cell === "number") return number(cell);
  return toPrintable(cell ?? "–").replaceAll("|", "\\|");
}

function toTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((one) => `| ${one.map(toCell).join(" | ")} |\n`);
  return rows.length === 0 ? "" : `\n${lines.join("")}`;
}
