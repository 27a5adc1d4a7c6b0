import type { RedriverEvent } from "../../ports/events.ts";
import type { Decision } from "../../rules/decision.ts";
import type { PassCounts, Tally } from "../../ports/tally.ts";
import { toTable } from "../output/table.ts";

export type DecisionCount = ReturnType<ReasonCount["of"]>[number];
export type ReasonCount = ReturnType<typeof createReasonCount>;

/** Decisions by which a record stays in the queue. */
const leaves: ReadonlySet<string> = new Set<Decision["then"]>(["hold", "park"]);

/**
 * Counts the decisions of a command's passes, by drain, decision, reason and rule. The next pass lists again
 * what a pass left in the queue, so of that only the last pass is counted, and a record once.
 */
export function createReasonCount() {
  const counts = new Map<
    string,
    { drain: string; decision: string; reason: string; rule: string | null; count: number }
  >();
  return {
    emit(event: RedriverEvent): void {
      if (event.type === "pass:opened") {
        for (const [key, { drain, decision }] of counts) {
          if (drain === event.drain && leaves.has(decision)) counts.delete(key);
        }
      }
      if (event.type !== "record:decided") return;
      const { then: decision, reason, rule } = event.decision;
      const key = JSON.stringify([event.drain, decision, reason, rule]);
      const count = (counts.get(key)?.count ?? 0) + 1;
      counts.set(key, { drain: event.drain, decision, reason, rule, count });
    },
    /** Most frequent first. */
    of: (wanted: string) =>
      [...counts.values()]
        .toSorted((one, other) => other.count - one.count)
        .flatMap(({ drain, ...count }) => (drain === wanted ? [count] : [])),
  };
}

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
  const ofTally =
    (name: keyof PassCounts) =>
    ({ tally }: PassLine): number =>
      tally?.[name] ?? 0;
  const passes = toTable(lines, {
    drain: ({ drain }) => drain,
    mode: ({ mode }) => mode,
    outcome: ({ outcome }) => outcome,
    listed: ofTally("listed"),
    due: ofTally("due"),
    republished: ofTally("republished"),
    deleted: ofTally("deleted"),
    held: ofTally("held"),
    parked: ofTally("parked"),
    "in doubt": ofTally("inDoubt"),
    seconds: ({ durationMs }) => Number((durationMs / 1_000).toFixed(1)),
  });
  const rows = lines.flatMap(({ drain, decisions }) => decisions.map((one) => ({ drain, ...one })));
  if (rows.length === 0) return passes;
  const decisions = toTable(rows, {
    drain: ({ drain }) => drain,
    decision: ({ decision }) => decision,
    reason: ({ reason }) => reason,
    rule: ({ rule }) => rule ?? "-",
    count: ({ count }) => count,
  });
  return `${passes}\n${decisions}`;
}

export function toProgress({ drain, tally }: { readonly drain: string; readonly tally: Tally }): string {
  const { listed, republished, deleted, held, parked } = tally;
  return `${drain}: ${listed} listed, ${republished} republished, ${deleted} deleted, ${held} held, ${parked} parked`;
}
