import type { Events } from "../ports/events.ts";

/** How often one decision was made for one reason. */
export interface DecisionCount {
  readonly decision: string;
  readonly reason: string;
  /** Null: no rule said so. */
  readonly rule: string | null;
  readonly count: number;
}

/** Counts the decisions of a command's passes, by drain, decision, reason and rule. */
export interface ReasonCount extends Events {
  /** Most frequent first. */
  of(drain: string): readonly DecisionCount[];
}

export function createReasonCount(): ReasonCount {
  const counts = new Map<string, DecisionCount & { readonly drain: string }>();
  return {
    emit(event) {
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
