import type { FlowControl } from "../message/item-changes.ts";
import type { Select } from "../message/select.ts";
import type { Router } from "../rules/decision.ts";
import type { DateEdge } from "../rules/patterns/parse-dates.ts";
import type { RuleTest } from "../rules/rule-test.ts";
import type { NumberRange, Rate, RuleSpec } from "../rules/rule-spec.ts";
import type { AutoRate } from "./auto-rate.ts";
import type { DrainName, SourceId } from "./ids.ts";
import type { IndexTarget, ScalarField } from "./index-statistics.ts";
import type { NoticeEvent } from "./notices.ts";

/** The place of a secret; never the secret itself. */
export type SecretRef =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "env"; readonly name: string }
  /** The setting service.token / service.tokenFile. */
  | { readonly kind: "settings" };

export interface SourceConfig {
  readonly id: SourceId;
  /** Name in the document; equal to id unless `id:` is given. */
  readonly name: string;
  /** True if the document has `id:`. The operator then chose this source's ledger on purpose. */
  readonly isIdWritten?: true;
  /** Base URL without trailing slash and without `/v2/publish`. Absent: the setting service.url. */
  readonly url?: string;
  readonly token: SecretRef;
  readonly retentionMs: number;
  readonly dedupWindowMs: number;
  /** Time between two listings without filter. They count depth and the records that no drain selects. */
  readonly censusEveryMs: number;
  /** True if listings take `dlqIds`. The service's interface has that parameter for deletes only. */
  readonly listByIds?: true;
  /** True if a message goes to an address with user and password. Absent: it is parked. */
  readonly keepsCredentials?: true;
  readonly callbacks?: CallbacksConfig;
  /** True: before canaries are judged, the service is asked how much is under way. */
  readonly watchDeliveries?: true;
  /** True: rules may publish by the service's own retry (`via: service`). */
  readonly serviceRetry?: true;
  /** Deliveries at once to a host, under flow control keys of ours, which `redriver brake` pauses. */
  readonly brake?: number;
  /** Deliveries that the account makes at once, by its plan. What may wait is a few times that. Absent: any. */
  readonly maxParallelism?: number;
}

export interface CallbacksConfig {
  /** Reachable for the service; no trailing slash, no query. The source's id is added as the last part. */
  readonly url: string;
  readonly keys: readonly SecretRef[];
}

export type Schedule =
  | { readonly kind: "every"; readonly everyMs: number }
  | { readonly kind: "cron"; readonly pattern: string; readonly timezone?: string };

/** Ceilings for publishes, all replicas together. Absent: unlimited. */
export interface LimitsConfig {
  readonly publish?: Rate;
  readonly perHost?: Rate | AutoRate;
  readonly perPass?: number;
  readonly perDay?: number;
}

/** How carefully a destination is tried. Absent (`lane: none`): everything that is due is published. */
export interface LaneConfig {
  readonly canary: number;
  readonly watchMs: number;
  /** A larger share of come-backs than this halts the lane, and so does a full return; 0 to 1. */
  readonly haltAt: number;
  readonly probeEveryMs: number;
  /** A step of this size opens the lane, because limits bind before it does. From the drain's limits. */
  readonly openFrom: number;
  readonly byReport?: true;
  /** Silence counts only after the service has said that nothing waits. */
  readonly byAsking?: true;
}

/** Holds a drain from a reading of a search index that matches `hold` until one matches `resume`. */
export interface GuardConfig {
  readonly index: string;
  readonly field: ScalarField;
  readonly hold: NumberRange;
  readonly resume: NumberRange;
  readonly whenStale: "hold" | "ignore";
}

export interface ArchiveConfig {
  readonly dir: string;
  readonly keepMs: number;
  /** Absent: the file system decides, if it can be seen. */
  readonly volume?: "durable" | "ephemeral";
}

export interface DrainConfig {
  readonly name: DrainName;
  readonly source: SourceConfig;
  readonly mode: "plan" | "live";
  /** From the document: the whole document's or this drain's `paused`. */
  readonly paused: boolean;
  readonly schedule: Schedule;
  readonly fullEveryMs: number;
  readonly minAgeMs: number;
  readonly attempts: {
    readonly max: number;
    readonly waitMs: readonly number[];
    readonly then: "park" | "hold";
  };
  readonly select: Select;
  /** Narrows a pass's range by the service's dates (entry or creation). Computed at its start. */
  readonly dates?: { readonly from?: DateEdge; readonly to?: DateEdge };
  readonly unknownOutcome: "republish" | "park";
  /** For records from before a loss of the ledger, once the deduplication window is over. */
  readonly afterLedgerLoss: "republish" | "park";
  readonly limits: LimitsConfig;
  readonly lane?: LaneConfig;
  /** Flow control of everything that is redriven. A rule's `set` goes first. Absent: as the original. */
  readonly flowControl?: FlowControl;
  readonly guards: readonly GuardConfig[];
  readonly onLoss: "park" | "republish";
  /** A record this close to its expiry is copied to the archive; `nothing` turns that off. */
  readonly beforeExpiry: { readonly withinMs: number; readonly then: "archive" | "nothing" };
  readonly rules: readonly RuleSpec[];
  readonly tests: readonly RuleTest[];
  readonly otherwise: "hold" | "park";
  readonly route: Router;
  /** Changes exactly when this drain's decisions can. Parks by rule are decided again under another hash. */
  readonly rulesHash: string;
}

export interface IndexConfig extends IndexTarget {
  readonly user: SecretRef;
  readonly password: SecretRef;
  readonly schedule: Schedule;
}

export interface NotifyTarget {
  readonly name: string;
  /** Whole address, or where it is read from: the path of many webhooks is a secret. */
  readonly url: SecretRef | { readonly kind: "written"; readonly url: string };
  /** `events`: CloudEvents 1.0 as JSON; `slack`: `{ text, blocks }`. */
  readonly form: "events" | "slack";
  readonly secret?: SecretRef;
  readonly events: readonly NoticeEvent[];
  readonly sources?: readonly SourceId[];
  readonly drains?: readonly DrainName[];
  /** True: its host may have a private address, and http is taken. */
  readonly allowPrivate: boolean;
  /** How soon the second message of an incident may follow the first. Other times of it are multiples. */
  readonly everyMs: number;
  readonly digest?: Extract<Schedule, { kind: "cron" }>;
}

export interface DrainsDocument {
  /** Hash of the whole document's meaning; in config_info, passes and status. */
  readonly hash: string;
  readonly paused: boolean;
  /** Absent: there is no archive, so nothing is dropped, and nothing is copied before its expiry. */
  readonly archive?: ArchiveConfig;
  readonly sources: readonly SourceConfig[];
  readonly drains: readonly DrainConfig[];
  readonly indexes: readonly IndexConfig[];
  readonly notify: readonly NotifyTarget[];
}
