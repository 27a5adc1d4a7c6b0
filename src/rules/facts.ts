import type { DeadLetter } from "../message/dead-letter.ts";
import type { Routing } from "./decision.ts";

/** The facts that rules may ask about. Plain data; times are Unix ms by the service's clock. */
export interface RecordFacts {
  readonly letter: DeadLetter;
  readonly now: number;
  /** Redrives that count: the larger of lineage and ledger. A canary that came back down does not count. */
  readonly attempt: number;
  /** Creation of the root message, from a valid lineage; else the letter's own createdAt. */
  readonly rootCreatedAt: number;
  /** When the service's retention deletes the letter. */
  readonly expiresAt: number;
}

/** A compiled rule list: pure, total and deterministic. */
export interface Router {
  (facts: RecordFacts): Routing;
  /** Of a held record: the first moment (Unix ms) at which time alone changes the decision; null: none. */
  heldUntil(facts: RecordFacts): number | null;
}
