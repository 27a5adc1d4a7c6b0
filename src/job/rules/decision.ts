import type { DlqId } from "../message/dead-letter.ts";
import type { ItemChanges } from "../message/item-changes.ts";
import type { ParkReason } from "../message/park-reasons.ts";
import type { RecordFacts } from "./record-facts.ts";
import type { Action } from "./rule-spec.ts";

/** `passing`: ends by itself, and it is decided as before. `decided`: rules, time or attempts end it. */
export const holds = {
  rule: "decided",
  otherwise: "decided",
  "too-young": "decided",
  waiting: "decided",
  "retry-after": "decided",
  "not-before": "decided",
  "implausible-date": "decided",
  "in-flight": "passing",
  cooling: "passing",
  "outcome-unknown": "passing",
  "refused-alone": "passing",
  "not-sent": "passing",
  "source-halted": "passing",
  "settle-gate": "passing",
  /** Redis is almost full: its last memory is kept for finishing what is begun. */
  "ledger-full": "passing",
  /** Another version of redriver wrote its ledger entry, in a layout that this one does not know. */
  "other-version": "passing",
  paused: "passing",
  "host-paused": "passing",
  "page-too-old": "passing",
  stopping: "passing",
  "attempts-exhausted": "decided",
  /** A drop without a working archive: nothing is deleted without a copy. */
  "archive-missing": "passing",
  "no-service-retry": "passing",
  superseded: "decided",
  /** Of the archive: it was published, and the queue does not have it. */
  "published-before": "decided",
  guard: "passing",
  "rate-limit": "passing",
  "pass-limit": "passing",
  "day-limit": "passing",
  "lane-watched": "passing",
  /** It breaks its page, and could not be parked either (page/put-aside.ts). */
  unworkable: "passing",
  /** What was published is not known to be delivered, and the service may be behind. */
  "still-under-way": "passing",
  "lane-halted": "passing",
} as const satisfies Readonly<Record<string, "passing" | "decided">>;
export type HoldReason = keyof typeof holds;
export const holdReasons = Object.keys(holds) as readonly HoldReason[];

/** `from-archive`: by a person's order. */
export const republishReasons = ["due", "reconcile", "after-ledger-loss", "from-archive"] as const;
/** `discarded`: by a person, whatever the rules say. */
export const dropReasons = ["rule", "superseded", "discarded"] as const;
/** Already done: the record is listed although published or gone, and is deleted again. */
export const settleReasons = ["published-before"] as const;

/** With the rule that decided (`null`: no rule) and the reason from a closed set. */
export type Decision =
  | {
      readonly then: "republish";
      readonly reason: (typeof republishReasons)[number];
      readonly rule: string | null;
      readonly set: ItemChanges;
      readonly via?: "service";
    }
  | {
      readonly then: "drop";
      readonly reason: (typeof dropReasons)[number];
      readonly rule: string | null;
      /** The newest letter, which supersedes it. */
      readonly by?: DlqId;
    }
  | {
      readonly then: "hold";
      readonly reason: HoldReason;
      readonly rule: string | null;
      /** Unix ms from which it can be due, if known. */
      readonly until?: number;
      /** The newest letter, which supersedes it; absent of a `superseded`: not known yet. */
      readonly by?: DlqId;
    }
  | { readonly then: "park"; readonly reason: ParkReason; readonly rule: string | null }
  | { readonly then: "settle"; readonly reason: (typeof settleReasons)[number]; readonly rule: null };

/** The decision of the rules alone. `rule` is null if none matched and `otherwise` decided. */
export interface Routing {
  readonly then: Action;
  readonly rule: string | null;
  readonly set: ItemChanges;
  readonly via?: "service";
}

export interface Router {
  (facts: RecordFacts): Routing;
  /** Of a held record: the first moment (Unix ms) at which time alone changes the decision; null: none. */
  heldUntil(facts: RecordFacts): number | null;
  /** True if a date of creation that cannot be true makes this decision: a plausible one may change it. */
  restsOnBadDate(facts: RecordFacts, routing: Routing): boolean;
  /** What its rules compare letters by: pointers into the body; null: schedules. */
  readonly comparesBy: readonly (string | null)[];
  /** The letter that supersedes this one by the rule that decided; null: that rule does not ask, or none does. */
  supersededBy(facts: RecordFacts, rule: string | null): DlqId | null;
  /** True if newer letters, which these facts do not know, may change the decision. */
  restsOnNewer(facts: RecordFacts, routing: Routing): boolean;
}
