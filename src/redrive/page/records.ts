import type { Loss } from "../../message/losses.ts";
import type { BatchItem, DlqId, RawRecord, DeadLetter } from "../../message/dead-letter.ts";
import type { Lineage, LineageReading } from "../../message/lineage.ts";
import type { StepRef } from "../../ports/lanes.ts";
import type { LedgerView, Series } from "../../ports/ledger-entries.ts";
import type { BeginVerdict } from "../../ports/ledger.ts";
import type { Decision } from "../../rules/decision.ts";

/** A page of the DLQ, and the Redis time learned before its GET was sent. */
export interface Page {
  readonly records: readonly RawRecord[];
  readonly readAt: number;
  /** Nothing else is to be worked on besides it. Absent: not known. */
  readonly isWhole?: boolean;
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
  /** It may have been published before the ledger lost writes, and nothing could tell any more (ledger-loss.ts). Absent: no. */
  readonly mayBeForgotten?: boolean;
  /** A come-back seen for the first time; each is counted once. */
  readonly isNewComeBack: boolean;
}

export interface DecidedRecord extends KnownRecord {
  /** Redrives already made that count: the larger of lineage and ledger. */
  readonly attempt: number;
  readonly decision: Decision;
  readonly explanation: string;
}

/** A canary of a lane's step; at most so long is its timeout. */
export interface SendAs {
  readonly step: StepRef;
  /** The lane is halted. */
  readonly isProbe: boolean;
  readonly timeoutMs: number;
}

/** What of a candidate depends on how it is sent. */
export interface SendVariant {
  /** Null: in no step, as it is, with its retries and its delay. */
  readonly sendAs: SendAs | null;
  readonly lineage: Lineage;
  /** The item for a series' suffix. The deduplication id is the same in every shape. */
  readonly toItem: (suffix: number) => BatchItem;
}

/** A record that is due, with all that its item is built from but the deduplication id, which only `begin` knows. */
export interface Candidate extends DecidedRecord, SendVariant {
  /** What its rebuild does not keep; those for a policy to decide only where it lets them pass. */
  readonly losses: readonly Loss[];
  readonly toSendVariant: (sendAs: SendAs) => SendVariant;
  /** Encoded size with the longest suffix in use, in the largest shape that its drain may send it in. */
  readonly bytes: number;
}

/** The candidate, to be sent so: its item, its lineage, and with that what the ledger and the audit are told. */
export function sentAs(candidate: Candidate, sendAs: SendAs): Candidate {
  return { ...candidate, ...candidate.toSendVariant(sendAs) };
}

/** A candidate that this worker may publish now. */
export interface Begun {
  readonly candidate: Candidate;
  readonly series: Series;
  readonly declaredDouble: Extract<BeginVerdict, { kind: "begun" }>["declaredDouble"];
}

export interface HeldResult<R extends DecidedRecord> {
  readonly kind: "held";
  readonly candidate: R;
  readonly decision: Extract<Decision, { then: "hold" }>;
  /** Which limit or guard holds it; part of the explanation. */
  readonly why?: string;
}

/** A record that was to be acted on and is left as it is, or was done before. */
export type LeftResult<R extends DecidedRecord> =
  /** Known to be done before: delete it again. */
  | { readonly kind: "done-before"; readonly candidate: R }
  | HeldResult<R>
  | { readonly kind: "parked"; readonly candidate: R; readonly decision: Extract<Decision, { then: "park" }> }
  | { readonly kind: "in-doubt"; readonly candidate: R };

/** What became of one candidate. */
export type PublishResult =
  | {
      readonly kind: "published";
      readonly candidate: Candidate;
      readonly as: string;
      readonly deduplicated: boolean;
      /** It was this candidate that was sent, in its shape; not so where the record of an earlier publish was lost. */
      readonly isOfNow: boolean;
    }
  | LeftResult<Candidate>;

/** What became of one record that a rule drops. `dropped`: the archive holds it, and the ledger knows. */
export type DropResult =
  | { readonly kind: "dropped"; readonly candidate: DecidedRecord }
  | LeftResult<DecidedRecord>;

export function idsOf(records: readonly { readonly letter: DeadLetter }[]): DlqId[] {
  return records.map((record) => record.letter.dlqId);
}
