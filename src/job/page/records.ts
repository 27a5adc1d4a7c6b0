import type { Loss } from "../message/loss-kinds.ts";
import type { BatchItem, DeadLetter, DlqId, KeptLetter, RawRecord } from "../message/dead-letter.ts";
import type { ItemJson } from "../message/encode-item.ts";
import type { Lineage, LineageReading } from "../message/lineage.ts";
import type { StepRef } from "../contracts/lanes.ts";
import type { FailureKind } from "../contracts/failures.ts";
import type { LedgerView, Series } from "../contracts/ledger-entries.ts";
import type { BeginVerdict } from "../contracts/ledger.ts";
import type { Decision } from "../rules/decision.ts";
import type { RecordFacts } from "../rules/record-facts.ts";

/** A page of the DLQ, and the Redis time learned before its GET was sent. */
export interface Page {
  readonly records: readonly RawRecord[];
  readonly readAt: number;
  /** True if its window was never split and has no other page, or its plan none. Absent: not known. */
  readonly isAlone?: boolean;
}

/** A record on its way through the stages. Each stage adds what it learned. */
export interface FoundRecord {
  readonly raw: RawRecord;
  readonly letter: DeadLetter;
  readonly reading: LineageReading;
  readonly failure: FailureKind;
}

export interface KnownRecord extends FoundRecord {
  readonly view: LedgerView;
  /** Redis time of the view, Unix ms. */
  readonly viewedAt: number;
  /** It may have been published before the ledger lost writes, without proof (look-up.ts). */
  readonly mayBeForgotten: boolean;
  /** A come-back seen for the first time. Each is counted once. */
  readonly isNewComeBack: boolean;
}

/** A decided record with no more than an act needs, its begin in the ledger and its audit. */
export interface Actionable extends Pick<KnownRecord, "reading" | "view" | "failure"> {
  readonly letter: KeptLetter;
  /** Redrives that count: the larger of lineage and ledger; after a release the ledger's alone. */
  readonly attempt: number;
  readonly decision: Decision;
}

export interface DecidedRecord extends KnownRecord, Pick<Actionable, "attempt" | "decision"> {
  readonly facts: RecordFacts;
}

/** How a canary is sent: in which step of its lane, and with which timeout at most. */
export interface SendAs {
  readonly step: StepRef;
  /** The lane is halted. */
  readonly isProbe: boolean;
  readonly timeoutMs: number;
}

/** The plain item, signed, as JSON, with everything its canary needs. */
export interface PlainItem {
  readonly json: ItemJson;
  /** Of the sent body, the same in every variant. */
  readonly bodyHash: string;
  readonly headerPrefix: string;
  readonly lineageKey: string;
  /** The callback address of its canary; null: no callback. */
  readonly proofAddress: string | null;
}

/**
 * A due record with everything its item needs, except the deduplication id, which only `begin` knows. It may
 * wait for its lane and its batch, so it keeps nothing of the listed record that is large: what lives that
 * long is copied by V8's collector.
 */
export interface Candidate extends Actionable {
  /** Null: it is sent plain, in no step, with its own retries and delay. */
  readonly sendAs: SendAs | null;
  /** As it is sent: a canary's has its step. */
  readonly lineage: Lineage;
  readonly plain: PlainItem;
  /** Where its item goes, in any variant. */
  readonly target: Pick<BatchItem, "destination" | "queue">;
  /** The losses of its rebuild that the policy allows. */
  readonly losses: readonly Loss[];
  /** Encoded bytes of its largest variant, with the longest suffix. */
  readonly bytes: number;
  /** It has its own Not-Before, so it is sent plain only. */
  readonly isSentAhead?: true;
  /** Its capacity. Absent before it has any, and if no limit applies. */
  readonly grant?: Grant;
}

/** When capacity was granted. */
export interface Grant {
  /** Redis time, Unix ms. */
  readonly at: number;
  /** Not later than that, by clock.monotonic(). */
  readonly askedAt: number;
}

/** A record that this worker may act on now. */
export interface Begun<R extends Actionable = Candidate> {
  readonly candidate: R;
  readonly series: Series;
  readonly declaredDouble: Extract<BeginVerdict, { kind: "begun" }>["declaredDouble"];
}

/** True if an earlier POST may have been accepted, and a POST under the same id can still show it. */
export function isReconciling({ view }: Pick<Candidate, "view">): boolean {
  return view.state === "open" && !view.pastHorizon;
}

export function idsOf(records: readonly { readonly letter: Pick<DeadLetter, "dlqId"> }[]): DlqId[] {
  return records.map((record) => record.letter.dlqId);
}
