import type { DeadLetter } from "../message/dead-letter.ts";

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
