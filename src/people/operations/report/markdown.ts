/** A report as people paste it into a post mortem. Times are in UTC. */
import { toPrintable } from "../../../job/message/show-masked-values.ts";
import { formatDuration } from "../../../job/rules/durations.ts";
import { toDestinationText } from "../destination-text.ts";
import type { ActRow } from "../history/act-rows.ts";
import { laneMoveText, reasonText } from "../history/rows.ts";
import { joined, number, present, toMinute, toTime } from "../phrases.ts";
import type { OutageReport } from "./read.ts";

const words = {
  waitedBefore: "waited at the beginning",
  arrived: "arrived",
  sentAgain: "sent again",
  dropped: "dropped by rules",
  discarded: "discarded by people",
  expired: "expired",
  gone: "gone otherwise: not by redriver",
  waitsAfter: "waiting at the end, parked or not",
  failedAgain: "failed again (they arrived again)",
  delivered: "delivered, by a callback",
  silent: "not come back since they were sent again, which is no proof of delivery",
  parked: "parked in this time, released since or not",
  messages: "messages billed, without the service's retries",
} as const;
const sum = ["sentAgain", "dropped", "discarded", "expired", "gone", "waitsAfter"] as const;
type Cell = string | number | null | undefined;

export function toMarkdown(report: OutageReport): string {
  const { from, to, host, delays, hosts, acts, unknown, ofNoDrain } = report;
  const figures: Readonly<Record<string, number | null>> = report.figures;
  const of = (name: keyof typeof words): string => toCell(figures[name]);
  const rows = Object.entries(words).map(([name, text]) => [text, figures[name]]);
  return joined(
    `# Outage report${host === null ? "" : ` of ${host}`}\n\n`,
    `From ${toMinute(from)} to ${toMinute(to)} UTC, ${of("arrived")} dead letters arrived, ${of("sentAgain")} were sent again, `,
    `${of("failedAgain")} failed again, ${of("expired")} expired, and ${of("waitsAfter")} wait.\n`,
    toTable(["what", "messages"], rows),
    delays !== null &&
      `\nFrom entry to sent again: median ${formatDuration(delays.medianMs)}, p99 ${formatDuration(delays.p99Ms)}.\n`,
    `\nIt adds up: ${of("waitedBefore")} + ${of("arrived")} = ${sum.map(of).join(" + ")}.\n`,
    ofNoDrain > 0 && `\nIn no figure: ${number(ofNoDrain)} that wait now and that no drain selects.\n`,
    toTable(["host", "sent again", "failed again", "waiting"], hosts.map(Object.values<Cell>)),
    toTable(["UTC", "who", "did", "messages", "where", "why"], acts.map(toActCells)),
    unknown.length > 0 && "\nNot known:\n\n",
    ...unknown.map(({ figure, why }) => `- ${words[figure as keyof typeof words]}: ${why}\n`),
  );
}

function toActCells(row: ActRow): readonly Cell[] {
  const { at, by, act, count, ordered, lane, host, hosts, drain } = row;
  const where = toDestinationText(lane?.origin ?? host ?? hosts.top[0]?.key ?? drain ?? "all");
  const why = present([row.why, reasonText(row), laneMoveText(row)]).join("; ");
  return [
    toTime(at).slice(0, 19),
    by,
    act,
    ordered === undefined ? count || "–" : `${number(ordered)} ordered`,
    where,
    why,
  ];
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
