import type { LedgerView } from "../../ports/ledger-entries.ts";
import { holds } from "../../rules/decision.ts";
import { toPlanned, type Planned } from "./plan-record.ts";
import type { SurveyedRecord } from "./survey.ts";

/** The present state of a planned record that is still listed. */
export type PlanComparison =
  | "as-planned"
  /** Done, by an earlier apply of this plan or by anybody; nothing is left to do. */
  | "done"
  /** Not just now: in another worker's hands, cooling after a refusal, or without capacity. */
  | "not-now"
  /** Its content differs from the listed one. */
  | "changed"
  /** Today's rules, the ledger or time decide otherwise, or the message to publish would differ. */
  | "otherwise";

export function compareWithPlan(
  planned: Planned,
  record: SurveyedRecord,
  headerPrefix: string,
): PlanComparison {
  const now = toPlanned(record, headerPrefix);
  if (now.hash !== planned.hash) return "changed";
  const { decision, view } = record.decided;
  switch (decision.then) {
    // Published before and still listed: it is only deleted again.
    case "settle":
      return "as-planned";
    case "hold":
      return holds[decision.reason] === "passing" ? "not-now" : "otherwise";
    case "park":
      if (planned.then !== "park" || planned.reason !== decision.reason) return "otherwise";
      // A record that the ledger has as parked for that reason is decided without a rule.
      if (view.state === "parked" && decision.rule === null) return "done";
      if (planned.rule !== decision.rule) return "otherwise";
      return view.state === "parked" ? "done" : "as-planned";
    // The reason may differ: a record in doubt is published again under the same id.
    case "republish":
    case "drop":
      return isSame(planned, now) ? "as-planned" : "otherwise";
  }
}

function isSame(planned: Planned, now: Planned): boolean {
  return planned.then === now.then && planned.rule === now.rule && planned.item === now.item;
}

/** True if the ledger shows that a record needs no further act. */
export function isDone({ state }: LedgerView): boolean {
  return state === "published" || state === "archived" || state === "gone";
}
