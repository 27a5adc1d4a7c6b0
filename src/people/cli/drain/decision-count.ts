import type { RedriverEvent } from "../../../job/contracts/events.ts";
import type { Decision } from "../../../job/rules/decision.ts";

export type DecisionCount = ReturnType<ReasonCount["of"]>[number];
export type ReasonCount = ReturnType<typeof createReasonCount>;

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
      const { drain } = event;
      for (const { decision: of } of event.records) {
        const { then: decision, reason, rule } = of;
        const key = `${drain} ${decision} ${reason} ${rule === null ? "" : `rule ${rule}`}`;
        const known = counts.get(key);
        if (known === undefined) counts.set(key, { drain, decision, reason, rule, count: 1 });
        else known.count += 1;
      }
    },
    of: (wanted: string) =>
      [...counts.values()]
        .toSorted((one, other) => other.count - one.count)
        .flatMap(({ drain, ...count }) => (drain === wanted ? [count] : [])),
  };
}
