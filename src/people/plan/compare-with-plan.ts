import type { LedgerView } from "../../job/contracts/ledger-entries.ts";
import { holds } from "../../job/rules/decision.ts";
import { toPlanned, type Planned } from "./plan-file-record.ts";
import type { Letter } from "../../job/door.ts";

/** The present state of a planned record that is still listed. */
export type PlanComparison =
  | "as-planned"
  /** Done, by an earlier apply of this plan or by anybody; nothing is left to do. */
  | "done"
  /** Not just now: in another worker's hands, cooling after a refusal, or without capacity. */
  | "not-now"
  | "changed"
  /** Today's rules, the ledger or time decide otherwise, or the message to publish would differ. */
  | "otherwise";

export function compareWithPlan(planned: Planned, letter: Letter, headerPrefix: string): PlanComparison {
  const now = toPlanned(letter, headerPrefix);
  if (now.hash !== planned.hash) return "changed";
  const { decision, view } = letter;
  switch (decision.then) {
    // Published before and still listed: it is only deleted again, unless its worker may be about to.
    case "settle":
      return isBeingDeleted(view) ? "not-now" : "as-planned";
    case "hold":
      if (decision.reason === "published-before") return "done";
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
      return planned.then === now.then && planned.rule === now.rule && planned.item === now.item
        ? "as-planned"
        : "otherwise";
  }
}

/** By whoever published it, unless that worker has died. */
export function isBeingDeleted(view: LedgerView): view is LedgerView & { readonly at: number } {
  return "isBeingDeleted" in view && view.isBeingDeleted;
}
