import type { SourceBook } from "./contracts/source-book.ts";
import type { CheckItem } from "./message/item-policy.ts";
import type { Archive, ArchivedLetters } from "./contracts/archive.ts";
import type { CopyBook } from "./contracts/copy-book.ts";
import type { Audit } from "./contracts/audit.ts";
import type { Clock } from "./contracts/clock.ts";
import type { DrainConfig, SourceConfig } from "./contracts/drains-document.ts";
import type { Events } from "./contracts/events.ts";
import type { SharedLetters } from "./failures/shared-letters.ts";
import type { FailureBook } from "./contracts/failures.ts";
import type { Guards } from "./contracts/guards.ts";
import type { DrainName, Identities, PassId } from "./contracts/ids.ts";
import type { Ledger } from "./contracts/ledger.ts";
import type { Capacity } from "./contracts/capacity.ts";
import type { PassBook } from "./contracts/passes.ts";
import type { PauseRecord } from "./contracts/pauses.ts";
import type { MessageService } from "./contracts/service.ts";
import type { RecordFailures } from "./failures/record-failures.ts";
import type { DeliveryWatch } from "./lanes/delivery-watch.ts";
import type { Lanes } from "./lanes/lanes.ts";
import type { ServiceBrake } from "./source/service-brake.ts";
import type { ServiceRetry } from "./source/service-retry.ts";
import type { SourceMemory } from "./source-memory.ts";
import type { FindNewer } from "./rules/record-facts.ts";
import type { SourceHealth } from "./source/source-health.ts";

export interface World {
  readonly clock: Clock;
  readonly identities: Identities;
  readonly events: Events;
  /** The actor for the audit: `daemon <replica>` or a person. */
  readonly by: string;
}

export interface PublishLimits {
  /** Items of one POST /v2/batch, 1 to 100. */
  readonly maxItems: number;
  /** Encoded bytes of one POST. A single larger item travels alone. */
  readonly maxBytes: number;
}

export interface NewestOfPass {
  /** The pass and its document. */
  readonly pass: string;
  /** The lower end of what it knows, Unix ms. The upper one is the pass's. */
  readonly from: number;
  readonly newer: Promise<FindNewer>;
}

export interface SourceRuntime extends World, SourceMemory {
  readonly config: SourceConfig;
  /** The HTTP client, with turns and shared pauses in front. */
  readonly service: MessageService;
  /** The turn of a batch (calls-in-turn.ts), taken before it is begun: `service.publish` waits for none. */
  readonly takeBatchTurn: (signal: AbortSignal) => Promise<() => void>;
  readonly serviceRetry: ServiceRetry;
  readonly brake: ServiceBrake;
  /** The ledger in Redis, which here also checks for room and for lost writes (detect-lost-writes.ts). */
  readonly ledger: Ledger;
  /** Redis time from before now, a few seconds old at most (ledger-time.ts). Called before each GET. */
  readonly readAt: () => Promise<number>;
  readonly capacity: Capacity;
  readonly guards: Guards;
  /** A person's pauses of this drain and of destinations, as known for a second at most; of the drain itself, as of now. */
  readonly pausesOf: (drain: DrainName) => Promise<readonly PauseRecord[]>;
  readonly lanes: Lanes;
  readonly deliveryWatch: DeliveryWatch;
  readonly audit: Audit;
  readonly copies: CopyBook;
  readonly passes: PassBook;
  readonly book: SourceBook;
  readonly health: SourceHealth;
  readonly newestOfPasses: Map<DrainName, NewestOfPass>;
  readonly headerPrefix: string;
  readonly publish: PublishLimits;
  readonly checkItem: CheckItem;
  /** The first key signs; all keys verify. Called each time, because tokens and so default keys change. */
  readonly lineageKeys: () => readonly [string, ...string[]];
  readonly failures: FailureBook;
  readonly recordFailures: RecordFailures;
  /** Binds the source id to its account; throws `source-rebound`. Called once the service has answered. */
  readonly bind: () => Promise<void>;
}

export interface DrainRuntime {
  readonly config: DrainConfig;
  readonly documentHash: string;
  readonly countingKey: string;
  readonly source: SourceRuntime;
  /** This process's part of the archive; null if the document names none. */
  readonly archive: Archive | null;
  /** The longest `beforeExpiry.within` of all drains of its source, in ms. */
  readonly nearMs: number;
  /** Another drain of the document has the same source, so a pass of this one is no census: they may list the same. */
  readonly hasOthers: boolean;
  /** Counts for others what leaves the queue here. Absent: none of them can list what this one lists. */
  readonly shared?: SharedLetters;
  /** A person discards all that it decides, whatever the rules say. For the audit. Absent: nobody does. */
  readonly discard?: { readonly why: string; readonly orderedAt?: number };
  /** A person publishes these again, drops too. The queue does not have them. Absent: the drain is of the queue. */
  readonly fromArchive?: ArchivedLetters;
  /** Letters that supersede others (page/newest.ts). Absent: not known, or no rule asks. */
  readonly newer?: FindNewer;
  /** A person's order in a drain that only plans: what entered until then its passes have counted as a come-back, Unix ms. */
  readonly planCountedTo?: number;
  /** The current pass, for the audit and the pass's ceiling; absent for a sweep or a person's order. */
  readonly passId?: PassId;
  /** What entered later arrives in this pass, Unix ms; absent outside of one: nothing does. */
  readonly countedTo?: number;
  /** What entered from here on may be listed for the first time, as listings may lag, Unix ms; absent: nothing. */
  readonly lateFrom?: number;
  /** A worker of the current pass was lost or has stopped by then, Redis time (Ledger); absent: none. */
  readonly workerLostAt?: number;
}
