import type { LedgerView } from "../../ports/ledger-entries.ts";
import type { HoldReason } from "../../rules/decision.ts";
import { toPlanned, type Planned } from "./plan-record.ts";
import type { SurveyedRecord } from "./survey.ts";

/** What a planned record has become that is listed now. */
export type PlanComparison =
  | "as-planned"
  /** Done, by this plan applied before or by anybody; nothing is left of the order. */
  | "done"
  /** Not just now: in somebody's hands, cooling after a refusal, or without capacity. */
  | "not-now"
  /** Its content differs from what was listed. */
  | "changed"
  /** Today's rules, the ledger or time decide otherwise, or it would be published as something else. */
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
      return passes[decision.reason];
    case "park":
      if (planned.then !== "park" || planned.reason !== decision.reason) return "otherwise";
      // What the ledger knows to be parked for that reason is decided without asking a rule.
      if (view.state === "parked" && decision.rule === null) return "done";
      if (planned.rule !== decision.rule) return "otherwise";
      return view.state === "parked" ? "done" : "as-planned";
    // The reason may be another: one in doubt is published again under the same id.
    case "republish":
    case "drop":
      return isSame(planned, now) ? "as-planned" : "otherwise";
  }
}

function isSame(planned: Planned, now: Planned): boolean {
  return planned.then === now.then && planned.rule === now.rule && planned.item === now.item;
}

/** Whether a hold ends by itself, and the record is as planned then. */
const passes: Readonly<Record<HoldReason, "not-now" | "otherwise">> = {
  rule: "otherwise",
  otherwise: "otherwise",
  "too-young": "otherwise",
  waiting: "otherwise",
  "retry-after": "otherwise",
  "attempts-exhausted": "otherwise",
  "in-flight": "not-now",
  cooling: "not-now",
  "outcome-unknown": "not-now",
  "refused-alone": "not-now",
  "not-sent": "not-now",
  "source-halted": "not-now",
  "settle-gate": "not-now",
  "ledger-full": "not-now",
  "other-version": "not-now",
  paused: "not-now",
  "page-too-old": "not-now",
  stopping: "not-now",
  "archive-missing": "not-now",
  guard: "not-now",
  "rate-limit": "not-now",
  "pass-limit": "not-now",
  "day-limit": "not-now",
  "lane-watched": "not-now",
  "lane-halted": "not-now",
};

/** Whether the ledger knows that nothing is left to do about a record. */
export function isDone({ state }: LedgerView): boolean {
  return state === "published" || state === "archived" || state === "gone";
}
