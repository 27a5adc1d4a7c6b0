import type { Events } from "../../ports/events.ts";
import type { Decision } from "../../rules/decision.ts";

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
