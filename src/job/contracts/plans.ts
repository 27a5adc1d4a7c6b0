import type { DrainName, PlanId, Token } from "./ids.ts";

/** Limits a plan to a part of a drain's records. */
export interface PlanFilter {
  /** Names of rules; absent: with and without a rule. */
  readonly rules?: readonly string[];
  /** A host, or a glob of one; with or without its port. */
  readonly host?: string;
  /** The id of a kind of failure. */
  readonly failure?: string;
  /** Maximum records of a drain; the listing ends there. */
  readonly limit?: number;
}

/** A replica that works on a plan gives a sign this often, with its progress. */
export const planSignEveryMs = 1_000;
/** Without a sign for so long it counts as dead, and another replica may apply the plan. */
export const planDeadAfterMs = 15_000;

/** Limits of all shared plans together, but for `records`. */
export interface PlanLimits {
  readonly plans: number;
  /** Stored bytes of all of them. */
  readonly bytes: number;
  /** Of one plan. */
  readonly records: number;
}

/** 100,000 records take some 6 MB (docs/redis.md), so five such plans fit. */
export const planLimits: PlanLimits = { plans: 20, bytes: 32 * 1_048_576, records: 100_000 };

export const planStates = [
  "making",
  "ready",
  "applying",
  /** A person has stopped it; its replica ends at the end of a page or batch. */
  "stopping",
  /** All of it was done or skipped. */
  "applied",
  /** It ended early, with work left. If it is whole, it can be applied again. */
  "interrupted",
  "failed",
] as const;
export type PlanState = (typeof planStates)[number];

/** What a plan was asked for. */
export interface PlanAbout {
  readonly by: string;
  readonly drains: readonly DrainName[];
  readonly filter: PlanFilter;
  readonly documentHash: string;
}

export interface PlanMaking {
  /** The drain that is listed now; null before the first page. */
  readonly drain: DrainName | null;
  readonly listed: number;
  readonly planned: number;
}

/** Of a plan that is whole. */
export interface PlanMade {
  readonly records: number;
  /** Records that an apply would act on. */
  readonly acts: number;
  /** Records by decision. */
  readonly decisions: Readonly<Record<string, number>>;
  /** Of its file, as the last line of the file has it. */
  readonly sha256: string;
}

/** One drain of an apply. `planned` is the sum of `before`, `done`, `skipped` and `left`. */
export interface PlanApplyDrain {
  readonly drain: DrainName;
  /** Of the service. */
  readonly host: string;
  readonly phase: "checking" | "applying" | "ended";
  readonly planned: number;
  /** While it is checked: records that were found and decided again. */
  readonly checked: number;
  /** Done before this apply. */
  readonly before: number;
  readonly done: number;
  readonly left: number;
  readonly failedAgain: number;
  readonly skipped: { readonly gone: number; readonly changed: number; readonly otherwise: number };
  /** `1795211964826-0: republish by outage → gone`, at most ten. */
  readonly skippedExamples: readonly string[];
  /** Why some are left, with the count of each; adds up to `left` once it has ended. */
  readonly leftReasons: Readonly<Record<string, number>>;
  /** What it waits for now, and ms until it tries again; null if it works. */
  readonly wait: {
    readonly reasons: Readonly<Record<string, number>>;
    readonly nextCheckMs: number;
  } | null;
}

export interface PlanOrder {
  readonly by: string;
  /** A person's reason. */
  readonly why: string;
}

export interface PlanApply extends PlanOrder {
  /** Unix ms, Redis time. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly drains: readonly PlanApplyDrain[];
}

export interface SharedPlan extends PlanAbout {
  readonly id: PlanId;
  /** Unix ms, Redis time. */
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly state: PlanState;
  /** Why it was interrupted or has failed. */
  readonly why: string | null;
  /** The replica that works on it, or did last. */
  readonly replica: string;
  /** Who has stopped the present or last work on it; null: nobody. */
  readonly stoppedBy: string | null;
  /** Null once it is whole. */
  readonly making: PlanMaking | null;
  /** Null while it is not whole: then it cannot be applied. */
  readonly made: PlanMade | null;
  /** Of the present or last apply. */
  readonly apply: PlanApply | null;
}

/** The right to work on a plan: of the replica that began it, until another one takes it over. */
export interface PlanClaim {
  readonly id: PlanId;
  readonly token: Token;
}

export type PlanStart =
  | { readonly kind: "started" | "unknown" | "not-whole" }
  /** A living replica applies this plan for the same drain. */
  | { readonly kind: "busy"; readonly drain: string; readonly by: string; readonly replica: string };

export type PlanSign =
  /** `stoppedBy`: a person has stopped it. */
  | { readonly kind: "mine"; readonly stoppedBy: string | null }
  /** Another replica has taken it over, or it is gone. */
  | { readonly kind: "lost" };

/**
 * Frozen plans of an installation, for all replicas: their lines as `redriver plan --out` writes them, and a
 * summary. A plan vanishes a day after it was made, or an hour after the last sign of an apply if that is
 * later. One living replica works on a plan at a time, and one applies a drain. That is an economy: the
 * ledger decides what is done. Each call may run twice. Fails with `redis-unavailable`.
 */
export interface PlanBook {
  /** The newest first. */
  all(): Promise<readonly SharedPlan[]>;
  /** `summary`: as `complete` was given it. Null: there is no such plan. */
  read(id: PlanId): Promise<{ readonly plan: SharedPlan; readonly summary: string | null } | null>;
  /** The bytes of its file. Throws `plan-refused` if it is gone. */
  lines(id: PlanId): AsyncIterable<Buffer>;
  /** At the limit, the oldest plan that never became whole makes room. `full`: there is none. */
  begin(claim: PlanClaim, about: PlanAbout, replica: string): Promise<"begun" | "full">;
  /** `part`: counts up from 0. `full`: all plans together would be too large. */
  append(claim: PlanClaim, part: number, text: string): Promise<"kept" | "full" | "lost">;
  /** `parts`: how many were appended. */
  complete(claim: PlanClaim, made: PlanMade, summary: string, parts: number): Promise<"kept" | "lost">;
  startApply(claim: PlanClaim, order: PlanOrder, replica: string): Promise<PlanStart>;
  sign(claim: PlanClaim, progress: PlanMaking | readonly PlanApplyDrain[]): Promise<PlanSign>;
  /** The end of any work but a completed make. The lines of a plan that is not whole are dropped. */
  end(
    claim: PlanClaim,
    state: "applied" | "interrupted" | "failed",
    why: string | null,
    progress: PlanMaking | readonly PlanApplyDrain[],
  ): Promise<"kept" | "lost">;
  stop(id: PlanId, by: string): Promise<"asked" | "idle" | "unknown">;
  remove(id: PlanId): Promise<"removed" | "busy" | "unknown">;
}
