import type { DeadLetter, DlqId } from "../message/dead-letter.ts";

/**
 * The newest letter that waits with this value, if it is newer than the letter; null: there is none. `pointer`: into the
 * body; null: the value is a schedule. `value`: undefined if the letter has none.
 */
export type FindNewer = (letter: DlqId, pointer: string | null, value: string | undefined) => DlqId | null;

/** The facts that rules may ask about. Plain data; times are Unix ms by the service's clock. */
export interface RecordFacts {
  readonly letter: DeadLetter;
  readonly now: number;
  /** Redrives that count: the larger of lineage and ledger. A canary that came back down does not count. */
  readonly attempt: number;
  /** Creation of the root message, from a valid lineage; else the letter's own createdAt. */
  readonly rootCreatedAt: number;
  readonly expiresAt: number;
  readonly newer?: FindNewer | undefined;
}
