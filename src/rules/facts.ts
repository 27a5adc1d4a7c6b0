import type { DeadLetter } from "../message/dead-letter.ts";
import type { Routing } from "./decision.ts";

/** Everything a rule may ask about. Plain data; times are Unix ms by the service's clock. */
export interface RecordFacts {
  readonly letter: DeadLetter;
  readonly now: number;
  /**
   * Redrives already made that count: the larger of lineage and ledger. A canary that came back down counts
   * for none.
   */
  readonly attempt: number;
  /** Creation of the root message, from a valid lineage; else the letter's own createdAt. */
  readonly rootCreatedAt: number;
  /** When the service's retention takes the letter away. */
  readonly expiresAt: number;
}

/** A compiled rule list: pure, total and deterministic. */
export interface Router {
  (facts: RecordFacts): Routing;
  /**
   * For a record that it holds now: the first moment (Unix ms) at which time alone makes it decide something
   * else than `hold`; null when it never does.
   */
  heldUntil(facts: RecordFacts): number | null;
}
