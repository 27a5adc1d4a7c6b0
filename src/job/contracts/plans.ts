import { z } from "zod";
import type { DrainName, PlanId, Token } from "./ids.ts";

export type Frozen<Value> = Value extends string | number | null | undefined
  ? Value
  : { readonly [Key in keyof Value]: Frozen<Value[Key]> };

const count = z.int().min(0);
const counts = z.record(z.string(), z.number());
const time = z.number().describe("Unix ms.");
export const drainName = z.string() as unknown as z.ZodType<DrainName>;

export const planFilter = z.object({
  rules: z.array(z.string()).exactOptional(),
  host: z.string().exactOptional(),
  failure: z.string().exactOptional(),
  /** Maximum records of a drain; the listing ends there. */
  limit: count.exactOptional(),
  /** Archived, then deleted. Absent: the rules decide. */
  discard: z.literal(true).exactOptional(),
  fromArchive: z.literal(true).exactOptional(),
});
export type PlanFilter = Frozen<z.infer<typeof planFilter>>;

/** A replica that works on a plan gives a sign this often, with its progress. */
export const planSignEveryMs = 1_000;
/** Without a sign for so long it counts as dead, and another replica may apply the plan. */
export const planDeadAfterMs = 15_000;

export interface PlanLimits {
  readonly plans: number;
  readonly bytes: number;
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
  "applied",
  /** It ended early, with work left. If it is whole, it can be applied again. */
  "interrupted",
  "failed",
  /** Its row in Redis is none of this version. */
  "unreadable",
] as const;
export type PlanState = (typeof planStates)[number];

const planAbout = z.object({
  by: z.string(),
  drains: z.array(drainName),
  filter: planFilter,
  documentHash: z.string(),
});
export type PlanAbout = Frozen<z.infer<typeof planAbout>>;

const planMaking = z.object({
  drain: drainName.nullable(),
  listed: count,
  planned: count,
});
export type PlanMaking = Frozen<z.infer<typeof planMaking>>;

const planMade = z.object({
  records: count,
  acts: count,
  decisions: counts,
  /** As the last line of its file has it. */
  sha256: z.string(),
});
export type PlanMade = Frozen<z.infer<typeof planMade>>;

export const verdictStates = [
  "following",
  "told",
  /** A person or a shutdown has ended it before that. */
  "stopped",
  /** Nobody asked for it, or the drain has no lanes, so no watch. */
  "not-followed",
  "unknown",
] as const;

/** What became of what was sent, or discarded. `sent` is the sum of `cameBack`, `delivered` and `silent`. */
const planVerdict = z.object({
  state: z.enum(verdictStates),
  /** These two also by an apply before. */
  sent: count,
  discarded: count.exactOptional(),
  cameBack: count,
  delivered: count,
  /** Have not come back yet, and no callback told of them: no proof of delivery. */
  silent: count,
  failures: z.array(
    z.object({
      destination: z.string().nullable(),
      /** 0: no answer. Null: it went on unseen. */
      status: count.nullable(),
      count,
    }),
  ),
  /** `FailureKind.id`s under which they came back, the largest first, at most three. Absent: none is known. */
  kinds: z.array(z.object({ id: z.string(), count })).exactOptional(),
  isBad: z.boolean(),
  text: z.string(),
});
export type PlanVerdict = Frozen<z.infer<typeof planVerdict>>;

/** One drain of an apply. `planned` is the sum of `before`, `done`, `meanwhile`, `skipped` and `left`. */
const planApplyDrain = z.object({
  drain: drainName,
  host: z.string(),
  phase: z.enum(["checking", "applying", "ended"]),
  planned: count,
  checked: count,
  before: count,
  done: count,
  meanwhile: count.exactOptional(),
  left: count,
  countedAt: time
    .exactOptional()
    .describe("While it acts: the end of its last batch, as of which it is counted."),
  failedAgain: count,
  /** Null: it acts still, or nothing was sent. */
  verdict: planVerdict.nullable(),
  skipped: z.object({
    gone: count,
    begun: count.exactOptional().describe("Of those that are gone: begun before, and not proven."),
    changed: count,
    otherwise: count,
  }),
  /** `1795211964826-0: republish by outage → gone`, at most ten. */
  skippedExamples: z.array(z.string()),
  leftReasons: counts,
  /** `lanes`: the destinations that hold it, and until when. */
  wait: z
    .object({ reasons: counts, nextCheckMs: z.number(), lanes: z.array(z.string()).exactOptional() })
    .nullable(),
});
export type PlanApplyDrain = Frozen<z.infer<typeof planApplyDrain>>;

const planOrder = z.object({ by: z.string(), why: z.string() });
export type PlanOrder = Frozen<z.infer<typeof planOrder>>;

/** A plan as replicas see it, and as the API answers it. Rows in Redis are checked with it. */
export const sharedPlan = z.object({
  id: z.string() as unknown as z.ZodType<PlanId>,
  ...planAbout.shape,
  createdAt: time,
  expiresAt: time,
  state: z.enum(planStates),
  why: z.string().nullable(),
  replica: z.string(),
  stoppedBy: z.string().nullable(),
  making: planMaking.nullable(),
  /** Null while it is not whole. */
  made: planMade.nullable(),
  apply: z
    .object({
      ...planOrder.shape,
      startedAt: time,
      endedAt: time.nullable(),
      drains: z.array(planApplyDrain),
    })
    .nullable(),
});
export type SharedPlan = Frozen<z.infer<typeof sharedPlan>>;

export interface PlanClaim {
  readonly id: PlanId;
  readonly token: Token;
}

export type PlanStart =
  | { readonly kind: "started" | "unknown" | "not-whole" }
  | {
      readonly kind: "busy";
      readonly id: PlanId;
      readonly drain: string;
      readonly by: string;
      readonly replica: string;
    };

export type PlanSign =
  | { readonly kind: "mine"; readonly stoppedBy: string | null }
  | { readonly kind: "lost" };

/**
 * Frozen plans of an installation, for all replicas and commands: their lines as `redriver plan --out` writes them, and a
 * summary. A plan vanishes a day after it was made, or an hour after the last sign of an apply if that is
 * later. One living replica works on a plan at a time, and one applies a drain. That is an economy: the
 * ledger decides what is done. Each call may run twice. Fails with `redis-unavailable`.
 */
export interface PlanBook {
  all(): Promise<readonly SharedPlan[]>;
  /** `summary`: as `complete` was given it. Null: there is no such plan. */
  read(id: PlanId): Promise<{ readonly plan: SharedPlan; readonly summary: string | null } | null>;
  /** The bytes of its file. Throws `plan-refused` if it is gone. */
  lines(id: PlanId): AsyncIterable<Buffer>;
  /**
   * At the limit, the oldest plan that was never applied makes room, before it one that nobody asked to keep
   * (`isPassing`), and first one that never became whole. One that is passing takes no room of those that were
   * asked for. `full`: there is none.
   */
  begin(claim: PlanClaim, about: PlanAbout, replica: string, isPassing?: boolean): Promise<"begun" | "full">;
  /** `part`: counts up from 0. Makes room as `begin` does. `full`: all plans together would be too large. */
  append(claim: PlanClaim, part: number, text: string): Promise<"kept" | "full" | "lost">;
  complete(claim: PlanClaim, made: PlanMade, summary: string, parts: number): Promise<"kept" | "lost">;
  /** `dead`: a replica that is known to be gone, whatever its last sign says. */
  startApply(claim: PlanClaim, order: PlanOrder, replica: string, dead?: string): Promise<PlanStart>;
  sign(claim: PlanClaim, progress: PlanMaking | readonly PlanApplyDrain[]): Promise<PlanSign>;
  /** The end of any work but a completed make. The lines of a plan that is not whole are dropped. */
  end(
    claim: PlanClaim,
    state: "applied" | "interrupted" | "failed",
    why: string | null,
    progress: PlanMaking | readonly PlanApplyDrain[],
  ): Promise<"kept" | "lost">;
  /** An apply that has done nothing, as nobody wanted it: the plan stands as before its start. */
  giveBack(claim: PlanClaim): Promise<"kept" | "lost">;
  stop(id: PlanId, by: string): Promise<"asked" | "idle" | "unknown">;
  remove(id: PlanId): Promise<"removed" | "busy" | "unknown">;
}
