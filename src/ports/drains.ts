import type { Router } from "../rules/facts.ts";
import type { RuleSpec } from "../rules/spec.ts";
import type { DrainName, SourceId } from "./ids.ts";
import type { Select } from "./service.ts";

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
  /** Base URL without trailing slash and without `/v2/publish`; absent: the setting service.url. */
  readonly url?: string;
  readonly token: SecretRef;
  readonly retentionMs: number;
  readonly dedupWindowMs: number;
}

export type Schedule =
  | { readonly kind: "every"; readonly everyMs: number }
  | { readonly kind: "cron"; readonly pattern: string; readonly timezone?: string };

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
  readonly unknownOutcome: "republish" | "park";
  readonly rules: readonly RuleSpec[];
  readonly otherwise: "hold" | "park";
  readonly route: Router;
  /** Changes exactly when what this drain decides can change; parks by rule are decided again under another one. */
  readonly rulesHash: string;
}

export interface IndexConfig {
  readonly name: string;
  /** The index's id in the service's path. */
  readonly id: string;
  readonly user: SecretRef;
  readonly password: SecretRef;
  readonly schedule: Schedule;
  readonly period: "1h" | "3h" | "12h" | "1d" | "3d" | "7d" | "30d";
}

/** A compiled drains document, adopted whole. */
export interface DrainsDocument {
  /** Of the whole document's meaning; in config_info, passes and status. */
  readonly hash: string;
  readonly paused: boolean;
  readonly sources: readonly SourceConfig[];
  readonly drains: readonly DrainConfig[];
  readonly indexes: readonly IndexConfig[];
}
