/** One dead letter on its way. Each stage fills the fields below its name, so its shape never changes. */
import { RedriverError } from "../contracts/errors.ts";
import type { CapacityVerdict } from "../contracts/capacity.ts";
import { hostOf } from "../message/destination-url.ts";
import type { FailureKind } from "../message/failure-kind.ts";
import type { StepRef } from "../contracts/lanes.ts";
import type { LedgerView, Series } from "../contracts/ledger-entries.ts";
import type { BeginOptions, BeginVerdict } from "../contracts/ledger.ts";
import type { DeadLetter, DlqId, BatchItem, MessageId, RawRecord } from "../message/dead-letter.ts";
import type { ItemJson } from "../message/encode-item.ts";
import type { Lineage, LineageReading } from "../message/lineage.ts";
import type { Loss } from "../message/loss-kinds.ts";
import type { Decision } from "../rules/decision.ts";
import type { RecordFacts } from "../rules/record-facts.ts";
import type { Fate } from "./fate.ts";

/** A page of the DLQ, and the Redis time learned before its GET was sent. */
export interface Page {
  readonly records: readonly RawRecord[];
  readonly readAt: number;
  /** True if its window was never split and has no other page, or its plan none. Absent: not known. */
  readonly isAlone?: boolean;
}

export const absent: LedgerView = { state: "absent" };
const undecided: Decision = { then: "hold", reason: "in-flight", rule: null };

export class Letter {
  readonly dlqId: DlqId;
  readonly messageId: MessageId;
  readonly enteredAt: number;
  readonly createdAt: number;
  /** Of its failure. Absent: there was no HTTP answer. */
  readonly responseStatus: number | undefined;
  readonly responseBody: string;
  readonly responseBodyBase64: string;
  /** By its header; or by the ledger, if the service's own retry published it (look-up.ts). */
  reading: LineageReading;
  /** Once it is listed by its page: as its drain counts it (`countedAs`). */
  failure: FailureKind;
  #raw: RawRecord | null;
  #content: DeadLetter | null;

  // look-up.ts
  view: LedgerView = absent;
  viewedAt = 0;
  /** Of the look at its page, which its letters share. */
  lookedUp: BeginOptions["lookedUp"] = undefined;
  /** It may have been published before the ledger lost writes, without proof. */
  mayBeForgotten = false;
  /** The same, but a publish under its first id is still a hit. */
  restsOnFirstId = false;
  /** A come-back seen for the first time. Each is counted once. */
  isNewComeBack = false;
  /** The id of the kind under which its parent was sent; null: it is none, or that is not known. */
  parentFailure: string | null = null;
  /** `RuleName.id` of the rule that sent its parent; null: as above. */
  parentRule: string | null = null;

  // decide-letter.ts
  /** The queue does not have it. */
  isFromArchive = false;
  facts: RecordFacts | null = null;
  /** Redrives that count: the larger of lineage and ledger; after a release the ledger's alone. */
  attempt = 0;
  decision: Decision = undecided;
  /** The message to publish; null unless it is due. */
  item: Item | null = null;

  // gates.ts
  /** When a person's pauses and the guards let it pass, by clock.monotonic(). */
  passedAt = -Infinity;
  /** When its lane was asked, by clock.monotonic(). */
  admittedAt = -Infinity;
  /** Null: it is sent plain, in no step, with its own retries and delay. */
  sendAs: SendAs | null = null;
  grant: Grant | null = null;
  /** What a rate or ceiling has answered; null: nothing holds it. */
  wait: CapacityWait | null = null;

  fate: Fate | null = null;

  constructor(raw: RawRecord, content: DeadLetter, reading: LineageReading, failure: FailureKind) {
    this.dlqId = content.dlqId;
    this.messageId = content.messageId;
    this.enteredAt = content.enteredAt;
    this.createdAt = content.createdAt;
    this.responseStatus = content.responseStatus;
    this.responseBody = content.responseBody;
    this.responseBodyBase64 = content.responseBodyBase64;
    this.reading = reading;
    this.failure = failure;
    this.#raw = raw;
    this.#content = content;
  }

  get raw(): RawRecord {
    return this.#raw ?? forgotten();
  }

  get content(): DeadLetter {
    return this.#content ?? forgotten();
  }

  get due(): Item {
    if (this.item === null)
      throw new RedriverError("invariant-broken", "a letter without an item is not due");
    return this.item;
  }

  /** Of its destination, as long as its content or its item is known. */
  get host(): string | undefined {
    const url = this.item?.target.destination ?? this.#content?.url;
    return url === undefined ? undefined : hostOf(url);
  }

  get bytes(): number {
    return this.due.bytes;
  }

  get lineage(): Lineage {
    return (this.sendAs ?? this.item ?? this.due).lineage;
  }

  /** A come-back by the ledger; null: it stays what its header says. */
  readAs(lineage: Lineage | null): void {
    if (lineage !== null) this.reading = { kind: "come-back", lineage };
  }

  /** V8's collector copies what lives long, so only what names it, dates it and tells how it failed stays. */
  forgetContent(): void {
    this.#raw = null;
    this.#content = null;
    this.facts = null;
  }

  again(): Letter {
    const letter = new Letter(this.raw, this.content, this.reading, this.failure);
    letter.view = this.view;
    letter.viewedAt = this.viewedAt;
    letter.mayBeForgotten = this.mayBeForgotten;
    letter.restsOnFirstId = this.restsOnFirstId;
    return letter;
  }
}

function forgotten(): never {
  throw new RedriverError("invariant-broken", "the content of a letter is needed after it was let go");
}

/** The plain item, signed, and what its canary needs. Only `begin` knows its deduplication id. */
export interface Item {
  readonly via: "batch" | "service";
  readonly json: ItemJson;
  readonly lineage: Lineage;
  /** Of the sent body, the same in every variant. */
  readonly bodyHash: string;
  readonly headerPrefix: string;
  readonly lineageKey: string;
  /** The callback address of its canary; null: no callback. */
  readonly proofAddress: string | null;
  /** Where it goes, in any variant. */
  readonly target: Pick<BatchItem, "destination" | "queue">;
  /** The host of its destination, which a rule may have changed. */
  readonly host: string;
  /** By which rates per host count it (`rateHostOf`). */
  readonly rateHost: string;
  /** The losses of its rebuild that the policy allows. */
  readonly losses: readonly Loss[];
  /** Encoded bytes of its largest variant, with the longest suffix. */
  readonly bytes: number;
  /** It has its own Not-Before, so it is sent plain only. */
  readonly isSentAhead: boolean;
}

/** How a canary is sent: in which step of its lane, with which timeout at most, and with which lineage. */
export interface SendAs {
  readonly step: StepRef;
  /** The lane is halted. */
  readonly isProbe: boolean;
  readonly timeoutMs: number;
  readonly lineage: Lineage;
  /** No canary is sent later, by clock.monotonic(). */
  readonly endsAt: number;
}

export interface Grant {
  /** Redis time, Unix ms. */
  readonly at: number;
  /** Not later than that, by clock.monotonic(). */
  readonly askedAt: number;
  /** As it was counted: a learned rate counts canaries apart. */
  readonly isCanary: boolean;
}

/** A refusal of capacity, and when it was answered. */
export interface CapacityWait {
  readonly verdict: Exclude<CapacityVerdict, { kind: "granted" }>;
  /** Redis time, Unix ms, and the same by clock.monotonic(). */
  readonly at: number;
  readonly answeredAt: number;
  /** More is known since: it is asked again at once. */
  readonly isOutdated: boolean;
}

/** A letter that this worker may act on now. Only `begin` makes one. */
export interface Begun {
  readonly letter: Letter;
  readonly series: Series;
  readonly declaredDouble: Extract<BeginVerdict, { kind: "begun" }>["declaredDouble"];
}

/** The service's answer about a begun letter: it has this message. Only `publish` makes one. */
export interface Proof {
  readonly begun: Begun;
  readonly as: MessageId;
  readonly deduplicated: boolean;
  readonly lineage: Lineage;
}

/** An earlier POST may have been accepted, and one under the same id can still show it. */
export function isReconciling({ view }: Pick<Letter, "view">): boolean {
  return view.state === "open" && view.via === undefined && !view.pastHorizon;
}

/** It goes by the service's own retry. */
export function isByService({ item }: Pick<Letter, "item">): boolean {
  return item?.via === "service";
}

/** Once it is published, no dead letter is left to delete. */
export function needsNoDelete(letter: Letter): boolean {
  return letter.isFromArchive || isByService(letter);
}

/** The dead letter that this one came back from, if its own lineage proves it. */
export function parentOf({ reading }: Pick<Letter, "reading">): { readonly parent?: DlqId } {
  return reading.kind === "come-back" ? { parent: reading.lineage.parentDlqId } : {};
}

export function idsOf(letters: readonly { readonly dlqId: DlqId }[]): DlqId[] {
  const ids: DlqId[] = [];
  for (const { dlqId } of letters) ids.push(dlqId);
  return ids;
}

/** True if this page is to delete the dead letter: proven published or archived, and nobody else deletes it. */
export function isProven({ fate }: Pick<Letter, "fate">): boolean {
  if (fate?.kind === "done-before") return !fate.isSettledElsewhere;
  return (fate?.kind === "published" && fate.isGone !== true) || fate?.kind === "dropped";
}
