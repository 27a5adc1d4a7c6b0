import type { Tally } from "../../ports/passes.ts";
import type { Io } from "../io.ts";
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

export interface Progress {
  show(tally: Tally): void;
  latest(): Tally | null;
  end(): void;
}

const linesEveryMs = 5_000;

/** On a terminal one line that is written over; elsewhere a line every 5 s. Goes to stderr. */
export function createProgress(name: string, io: Io): Progress {
  let latest: Tally | null = null;
  let shown: Tally | null = null;
  let shownAt = 0;
  const write = (tally: Tally): void => {
    shown = tally;
    const text = `${name}: ${tally.listed} listed, ${tally.republished} republished, ${tally.deleted} deleted, ${tally.held} held, ${tally.parked} parked`;
    io.err(io.isTerminal ? `\r\u001B[2K${text}` : `${text}\n`);
  };
  return {
    show(tally) {
      latest = tally;
      const now = Date.now();
      if (!io.isTerminal && now - shownAt < linesEveryMs) return;
      shownAt = now;
      write(tally);
    },
    latest: () => latest,
    end() {
      // What came after the last line is not left untold.
      if (latest !== null && shown !== latest) write(latest);
      if (io.isTerminal && latest !== null) io.err("\n");
    },
  };
}
