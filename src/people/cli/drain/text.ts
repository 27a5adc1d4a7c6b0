import type { PassCounts, Tally } from "../../../job/contracts/tally.ts";
import { toRows } from "../output/fields-text.ts";
import { toTable } from "../output/table.ts";
import type { DecisionCount } from "./decision-count.ts";

export interface PassLine {
  readonly drain: string;
  readonly mode: "plan" | "live";
  readonly outcome: "complete" | "partial" | "taken-over" | "busy" | "stopped" | "failed";
  readonly tally: Tally | null;
  readonly durationMs: number;
  readonly exitCode: number;
}

export function toSummary(
  columns: number,
  lines: readonly (PassLine & { readonly decisions: readonly DecisionCount[] })[],
): string {
  const ofTally =
    (name: keyof PassCounts) =>
    ({ tally }: PassLine): number =>
      tally?.[name] ?? 0;
  const passes = toTable(columns, lines, {
    drain: ({ drain }) => drain,
    mode: ({ mode }) => mode,
    outcome: ({ outcome }) => outcome,
    listed: ofTally("listed"),
    due: ofTally("due"),
    "sent again": ofTally("republished"),
    deleted: ofTally("deleted"),
    held: ofTally("held"),
    parked: ofTally("parked"),
    "in doubt": ofTally("inDoubt"),
    seconds: ({ durationMs }) => Number((durationMs / 1_000).toFixed(1)),
  });
  const rows = lines.flatMap(({ drain, decisions }) => decisions.map((one) => ({ drain, ...one })));
  return rows.length === 0 ? passes : `${passes}\n${toRows(columns, rows)}`;
}

export function toProgress({ drain, tally }: { readonly drain: string; readonly tally: Tally }): string {
  const { listed, republished, deleted, held, parked } = tally;
  return `${drain}: ${listed} listed, ${republished} sent again, ${deleted} deleted, ${held} held, ${parked} parked`;
}
