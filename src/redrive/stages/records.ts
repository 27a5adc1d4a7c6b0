import type { BatchItem, DlqId, RawRecord, DeadLetter } from "../../message/dead-letter.ts";
import type { Lineage, LineageReading } from "../../message/lineage.ts";
import type { LedgerView } from "../../ports/ledger.ts";
import type { Decision } from "../../rules/decision.ts";

/** A page of the DLQ, and the Redis time learned before its GET was sent. */
export interface Page {
  readonly records: readonly RawRecord[];
  readonly readAt: number;
}

/** What a record becomes on its way through the stages. Each stage adds what it learned. */
export interface FoundRecord {
  readonly raw: RawRecord;
  readonly letter: DeadLetter;
  readonly reading: LineageReading;
}

export interface KnownRecord extends FoundRecord {
  readonly view: LedgerView;
  /** Redis time of the view, Unix ms. */
  readonly viewedAt: number;
  /** A come-back seen for the first time; each is counted once. */
  readonly isNewComeBack: boolean;
}

export interface DecidedRecord extends KnownRecord {
  /** Redrives already made: the larger of lineage and ledger. */
  readonly attempt: number;
  readonly decision: Decision;
  readonly explanation: string;
}

/** A record that is due, with all that its item is built from but the deduplication id, which only `begin` knows. */
export interface Candidate extends DecidedRecord {
  readonly lineage: Lineage;
  /** The item for a series' suffix. */
  readonly toItem: (suffix: number) => BatchItem;
  /** Encoded size with the longest suffix in use. */
  readonly bytes: number;
}

/** What became of one candidate. */
export type PublishResult =
  | {
      readonly kind: "published";
      readonly candidate: Candidate;
      readonly as: string;
      readonly deduplicated: boolean;
    }
  /** Known to be done before: delete it again. */
  | { readonly kind: "done-before"; readonly candidate: Candidate }
  | {
      readonly kind: "held";
      readonly candidate: Candidate;
      readonly decision: Extract<Decision, { then: "hold" }>;
    }
  | {
      readonly kind: "parked";
      readonly candidate: Candidate;
      readonly decision: Extract<Decision, { then: "park" }>;
    }
  | { readonly kind: "in-doubt"; readonly candidate: Candidate };

export function idsOf(records: readonly { readonly letter: DeadLetter }[]): DlqId[] {
  return records.map((record) => record.letter.dlqId);
}
