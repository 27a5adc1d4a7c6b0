import type { Decision, HoldReason } from "../rules/decision.ts";

/** How a letter's way on its page ended. It is given once, and only page-report.ts counts it. */
export type Fate =
  /** By the ledger, the rules, its attempts or time: its decision is held, parked or settled as it stands. */
  | { readonly kind: "decided" }
  /** A plan would publish or drop it. */
  | { readonly kind: "planned" }
  /** Somebody's order leaves it out. Nobody counts it. */
  | { readonly kind: "not-ordered" }
  | {
      readonly kind: "published";
      readonly deduplicated: boolean;
      /** True if this very letter was sent. False for a hit on a publish whose record was lost. */
      readonly isOfNow: boolean;
      /** The audit has its delete. */
      readonly isDeleteAudited: boolean;
      /** The service took it out of the DLQ itself, or the archive alone has it. */
      readonly isGone?: boolean;
    }
  /** The archive holds it, and the ledger has recorded that. */
  | { readonly kind: "dropped" }
  /** Done since it was looked up. `isSettledElsewhere`: whoever did it deletes it, or the sweep. */
  | { readonly kind: "done-before"; readonly isSettledElsewhere: boolean }
  /** `why`: the limit or guard that holds it; part of the explanation. */
  | { readonly kind: "held"; readonly decision: Extract<Decision, { then: "hold" }>; readonly why?: string }
  | { readonly kind: "parked"; readonly decision: Extract<Decision, { then: "park" }> }
  | { readonly kind: "in-doubt" };

interface Fated {
  readonly decision: Decision;
  fate: Fate | null;
}

/** `until`: Unix ms. `why` adds detail to the reason. */
export function hold(letter: Fated, reason: HoldReason, until?: number, why?: string): void {
  const { rule } = letter.decision;
  letter.fate = {
    kind: "held",
    decision: { then: "hold", reason, rule, ...(until === undefined ? {} : { until }) },
    ...(why === undefined ? {} : { why }),
  };
}

export function leaveInDoubt(letter: Fated): void {
  letter.fate = { kind: "in-doubt" };
}

export function isPaused({ fate }: Pick<Fated, "fate">): boolean {
  const reason = fate?.kind === "held" ? fate.decision.reason : null;
  return reason === "paused" || reason === "host-paused";
}

export function isPutAside({ fate }: Pick<Fated, "fate">): boolean {
  return (fate?.kind === "parked" || fate?.kind === "held") && fate.decision.reason === "unworkable";
}
