import type { FlowControl } from "../message/item-changes.ts";
import type { Router } from "../rules/facts.ts";
import type { DateEdge } from "../rules/patterns/parse-edge.ts";
import type { NumberPattern, Rate, RuleSpec } from "../rules/spec.ts";
import type { RuleTest } from "../rules/rule-test.ts";
import type { DrainName, SourceId } from "./ids.ts";
import type { Select } from "./service.ts";
import type { IndexTarget, ScalarField } from "./statistics.ts";

/** Where a secret is read from; never the secret itself. */
export type SecretRef =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "env"; readonly name: string }
  /** The setting service.token / service.tokenFile. */
  | { readonly kind: "settings" };

export interface SourceConfig {
  readonly id: SourceId;
  /** Name in the document; equal to id unless `id:` is given. */
  readonly name: string;
  /** Whether `id:` is written, which says on purpose which ledger is this source's. */
  readonly isIdWritten?: true;
  /** Base URL without trailing slash and without `/v2/publish`; absent: the setting service.url. */
  readonly url?: string;
  readonly token: SecretRef;
  readonly retentionMs: number;
  readonly dedupWindowMs: number;
  /** Between two listings without filter, which count depth and what no drain selects. */
  readonly censusEveryMs: number;
  /** Whether listings take `dlqIds`, which the interface has for deleting only; absent: they do not. */
  readonly listByIds?: true;
  /** Absent: silence alone judges canaries. */
  readonly callbacks?: CallbacksConfig;
}

/** The service calls back for canaries, and `redriver run` is there to be called. */
export interface CallbacksConfig {
  /**
   * What the service can reach, without trailing slash and without a query; the source's id follows as the
   * last part of the path.
   */
  readonly url: string;
  /** The service's signing keys, the current one and the next. */
  readonly keys: readonly SecretRef[];
}

export type Schedule =
  | { readonly kind: "every"; readonly everyMs: number }
  | { readonly kind: "cron"; readonly pattern: string; readonly timezone?: string };

/** Ceilings for publishes, all replicas together. Absent: unlimited. */
export interface LimitsConfig {
  readonly publish?: Rate;
  /** Each destination host (queue for a queue record) by itself. */
  readonly perHost?: Rate;
  readonly perPass?: number;
  /** Per UTC day. */
  readonly perDay?: number;
}

/** How carefully a destination is tried. Absent (`lane: none`): everything that is due is published. */
export interface LaneConfig {
  /** Messages of the first step. */
  readonly canary: number;
  /** This long nothing of a step may come back. */
  readonly watchMs: number;
  /** More than this share of a step back halts the lane, and all of it does; 0 to 1. */
  readonly haltAt: number;
  readonly probeEveryMs: number;
  /**
   * A step of at least this size is no step any more: limits bind before it does. Worked out from the drain's
   * limits.
   */
  readonly openFrom: number;
}

/**
 * Holds a drain while a number of a search index's last reading matches `hold`, until one matches `resume`.
 */
export interface GuardConfig {
  /** Name of the index in the document. */
  readonly index: string;
  readonly field: ScalarField;
  readonly hold: NumberPattern;
  readonly resume: NumberPattern;
  /** What counts while there is no reading that is fresh. */
  readonly whenStale: "hold" | "ignore";
}

export interface ArchiveConfig {
  readonly dir: string;
  readonly keepMs: number;
  /** Absent: what is seen of it decides, where it can be seen. */
  readonly volume?: "durable" | "ephemeral";
}

export interface DrainConfig {
  readonly name: DrainName;
  readonly source: SourceConfig;
  readonly mode: "plan" | "live";
  /** From the document: the whole document's or this drain's `paused`. */
  readonly paused: boolean;
  readonly schedule: Schedule;
  /** Between two full passes. */
  readonly fullEveryMs: number;
  readonly minAgeMs: number;
  readonly attempts: {
    readonly max: number;
    readonly waitMs: readonly number[];
    readonly then: "park" | "hold";
  };
  readonly select: Select;
  /**
   * Narrows a pass's range by entry into the DLQ or creation, as the service's dates mean it; worked out as a
   * pass begins.
   */
  readonly dates?: { readonly from?: DateEdge; readonly to?: DateEdge };
  readonly unknownOutcome: "republish" | "park";
  /** For records from before a loss of the ledger, once the deduplication window is over. */
  readonly afterLedgerLoss: "republish" | "park";
  readonly limits: LimitsConfig;
  /** Absent: no caution of its own for each destination. */
  readonly lane?: LaneConfig;
  /**
   * Of everything that is redriven, in place of its own; a rule's `set` says otherwise. Absent: as the
   * original.
   */
  readonly flowControl?: FlowControl;
  readonly guards: readonly GuardConfig[];
  /** What becomes of a record whose rebuild would lose something that has a name in `losses`. */
  readonly onLoss: "park" | "republish";
  /**
   * Within this time of its expiry a record that is still there is copied to the archive; `nothing` turns
   * that off.
   */
  readonly beforeExpiry: { readonly withinMs: number; readonly then: "archive" | "nothing" };
  readonly rules: readonly RuleSpec[];
  readonly tests: readonly RuleTest[];
  readonly otherwise: "hold" | "park";
  readonly route: Router;
  /**
   * Changes exactly when what this drain decides can change; parks by rule are decided again under another
   * one.
   */
  readonly rulesHash: string;
}

export interface IndexConfig extends IndexTarget {
  readonly user: SecretRef;
  readonly password: SecretRef;
  readonly schedule: Schedule;
}

/** A compiled drains document, adopted whole. */
export interface DrainsDocument {
  /** Of the whole document's meaning; in config_info, passes and status. */
  readonly hash: string;
  readonly paused: boolean;
  /** Absent: there is no archive, so nothing is dropped and nothing is copied before its expiry. */
  readonly archive?: ArchiveConfig;
  readonly sources: readonly SourceConfig[];
  readonly drains: readonly DrainConfig[];
  readonly indexes: readonly IndexConfig[];
}
