import type { DlqId } from "../message/dead-letter.ts";
import type { Decision, HoldReason } from "../rules/decision.ts";
import type { Actionable, Candidate, DecidedRecord } from "./records.ts";

export interface HeldResult<R extends Actionable> {
  readonly kind: "held";
  readonly candidate: R;
  readonly decision: Extract<Decision, { then: "hold" }>;
  /** The limit or guard that holds it; part of the explanation. */
  readonly why?: string;
  /** It waited so long for its batch that its grant counts no more. Its page asks for capacity again. */
  readonly asksAgain?: true;
}

/** A record that this act did not finish: held, in doubt or parked; or one that was done before. */
export type LeftResult<R extends Actionable> =
  /** Done since it was looked up. `isSettledElsewhere`: whoever did it deletes it, or the sweep. */
  | { readonly kind: "done-before"; readonly candidate: R; readonly isSettledElsewhere: boolean }
  | HeldResult<R>
  | { readonly kind: "parked"; readonly candidate: R; readonly decision: Extract<Decision, { then: "park" }> }
  | { readonly kind: "in-doubt"; readonly candidate: R };

export type PublishResult =
  | {
      readonly kind: "published";
      readonly candidate: Candidate;
      readonly deduplicated: boolean;
      /** True if this very candidate was sent. False for a hit on a publish whose record was lost. */
      readonly isOfNow: boolean;
      /** The audit has its delete. */
      readonly isDeleteAudited: boolean;
    }
  | LeftResult<Candidate>;

/** The result of one dropped record. `dropped`: the archive holds it, and the ledger has recorded that. */
export type DropResult =
  | { readonly kind: "dropped"; readonly candidate: DecidedRecord }
  | LeftResult<DecidedRecord>;

/** `until`: Unix ms. `why` adds detail to the reason. */
export function held<R extends Actionable>(
  candidate: R,
  reason: HoldReason,
  until?: number,
  why?: string,
): HeldResult<R> {
  const { rule } = candidate.decision;
  return {
    kind: "held",
    candidate,
    decision: { then: "hold", reason, rule, ...(until === undefined ? {} : { until }) },
    ...(why === undefined ? {} : { why }),
  };
}

export function inDoubt<R extends Actionable>(candidate: R): LeftResult<R> {
  return { kind: "in-doubt", candidate };
}

export function asksAgain(result: PublishResult): boolean {
  return result.kind === "held" && result.asksAgain === true;
}

/** True if this page is to delete the dead letter: proven published or archived, and nobody else deletes it. */
export function isProven(result: PublishResult | DropResult): boolean {
  if (result.kind === "done-before") return !result.isSettledElsewhere;
  return result.kind === "published" || result.kind === "dropped";
}

export function idsDone(results: readonly (PublishResult | DropResult)[]): readonly DlqId[] {
  const ids: DlqId[] = [];
  for (const result of results) if (isProven(result)) ids.push(result.candidate.letter.dlqId);
  return ids;
}

export function deletesAudited(results: readonly PublishResult[]): ReadonlySet<DlqId> {
  const ids = new Set<DlqId>();
  for (const result of results) {
    if (result.kind === "published" && result.isDeleteAudited) ids.add(result.candidate.letter.dlqId);
  }
  return ids;
}
