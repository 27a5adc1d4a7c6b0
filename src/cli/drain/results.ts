import type { Events } from "../../ports/events.ts";
import type { Decision } from "../../rules/decision.ts";
import type { PassCounts, Tally } from "../../ports/passes.ts";
import { toTable } from "../output/table.ts";

/** How many records one decision was made of for one reason. */
export interface DecisionCount {
  readonly decision: string;
  readonly reason: string;
  /** Null: no rule decided. */
  readonly rule: string | null;
  readonly count: number;
}

/**
 * Counts the decisions of a command's passes, by drain, decision, reason and rule. What a pass left in the queue is listed by the next one
 * again, so of that the last pass alone is counted, and a record once.
 */
export interface ReasonCount extends Events {
  /** Most frequent first. */
  of(drain: string): readonly DecisionCount[];
}

export function createReasonCount(): ReasonCount {
  const counts = new Map<string, DecisionCount & { readonly drain: string }>();
  return {
    emit(event) {
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
    of: (drain) =>
      [...counts.values()]
        .filter((one) => one.drain === drain)
        .toSorted((one, other) => other.count - one.count)
        .map(({ decision, reason, rule, count }) => ({ decision, reason, rule, count })),
  };
}

/** Decisions by which a record stays in the queue. */
const leaves: ReadonlySet<string> = new Set<Decision["then"]>(["hold", "park"]);

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
