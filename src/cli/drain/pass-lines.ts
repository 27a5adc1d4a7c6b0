import type { Tally } from "../../ports/passes.ts";
import type { DecisionCount } from "./reason-count.ts";
import { toTable } from "../output/table.ts";

/** One drain's pass as a command shows it. */
export interface PassLine {
  readonly drain: string;
  readonly mode: "plan" | "live";
  readonly outcome: "complete" | "partial" | "busy" | "stopped" | "failed";
  readonly tally: Tally | null;
  readonly durationMs: number;
  readonly exitCode: number;
}

export function toSummary(
  lines: readonly (PassLine & { readonly decisions: readonly DecisionCount[] })[],
): string {
  const passes = toTable(
    [
      "drain",
      "mode",
      "outcome",
      "listed",
      "due",
      "republished",
      "deleted",
      "held",
      "parked",
      "in doubt",
      "seconds",
    ],
    lines.map(({ drain, mode, outcome, tally, durationMs }) => [
      drain,
      mode,
      outcome,
      tally?.listed ?? 0,
      tally?.due ?? 0,
      tally?.republished ?? 0,
      tally?.deleted ?? 0,
      tally?.held ?? 0,
      tally?.parked ?? 0,
      tally?.inDoubt ?? 0,
      Number((durationMs / 1_000).toFixed(1)),
    ]),
  );
  const decisions = lines.flatMap((line) =>
    line.decisions.map(({ decision, reason, rule, count }) => [
      line.drain,
      decision,
      reason,
      rule ?? "-",
      count,
    ]),
  );
  if (decisions.length === 0) return passes;
  return `${passes}\n${toTable(["drain", "decision", "reason", "rule", "count"], decisions)}`;
}

export function toProgress({ drain, tally }: { readonly drain: string; readonly tally: Tally }): string {
  const { listed, republished, deleted, held, parked } = tally;
  return `${drain}: ${listed} listed, ${republished} republished, ${deleted} deleted, ${held} held, ${parked} parked`;
}
