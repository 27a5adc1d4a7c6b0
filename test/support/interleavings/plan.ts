import * as fc from "fast-check";
import type { LaneConfig } from "../../../src/job/contracts/drains-document.ts";
import { windowSizes } from "../../../src/job/pass/split-window.ts";
import { turnedDown, turnedUp } from "../knobs.ts";
import { horizonMs, takeoverMs } from "../ledger-stands.ts";
import { limits } from "./limits.ts";

/**
 * What one run is given besides its order: the dead letters, the workers and their jobs, and what goes wrong.
 * Time passes only where a job or a mishap waits, and in jumps, so each span is just past a moment that means
 * something.
 */
const spansMs = [
  1_000,
  limits.sendByMs + 1_000,
  takeoverMs + 1_000,
  limits.settleGateAgeMs + 5_000,
  limits.maxPageAgeMs + 1_000,
  horizonMs + 1_000,
  limits.dedupWindowMs + 1_000,
  limits.tombstoneMs + limits.dedupWindowMs,
] as const;

export type Mishap =
  /** Nothing happens, and the caller is told so. */
  | { readonly kind: "fails" }
  /** It happens, and the caller is told that it did not, or that nobody knows. */
  | { readonly kind: "answer-lost" }
  /** The caller is told so at once, and it happens after all. */
  | { readonly kind: "late"; readonly ms: number }
  /** The whole worker stands still. */
  | { readonly kind: "stalls"; readonly when: "before" | "after"; readonly ms: number }
  | { readonly kind: "dies"; readonly when: "before" | "after" }
  /** The client sends a script again because the first reply was lost. */
  | { readonly kind: "sent-twice"; readonly ms: number }
  | { readonly kind: "refused"; readonly how: Refusal }
  /** A listing from before: what was deleted since is still in it. */
  | { readonly kind: "stale"; readonly ms: number }
  /** A DELETE leaves the first of its ids. */
  | { readonly kind: "short" };

/** `one`, `odd`: only the first item is refused, or has an answer that says nothing. */
export type Refusal = "limited" | "invalid" | "unauthorised" | "unavailable" | "one" | "odd";

const weights = {
  publish: 8,
  begin: 4,
  remove: 4,
  published: 3,
  list: 3,
  look: 2,
  refused: 2,
  append: 2,
  gone: 1,
  park: 1,
  deleteFailed: 1,
  archived: 1,
  write: 1,
  now: 1,
  unknownOutcomes: 1,
  pendingDeletes: 1,
  markUnlistedGone: 1,
  summary: 1,
  endWindow: 1,
  takeWindow: 1,
  markWindow: 1,
  leaveWindow: 1,
  progress: 1,
  ask: 1,
  askLanes: 1,
  sent: 2,
  giveBack: 1,
  note: 1,
  due: 1,
  checked: 1,
} as const;

/** The calls of the ports that mishaps are planned for; `askLanes` is the lane book's `ask`. */
export type Operation = keyof typeof weights;

/** The `nth` call of its operation in the run, from 0, and the `times - 1` that follow. */
export interface PlannedMishap {
  readonly operation: Operation;
  readonly nth: number;
  readonly times: number;
  readonly mishap: Mishap;
}

export type Task =
  | { readonly kind: "pass"; readonly drain: "main" | "twin" }
  | { readonly kind: "sweep" }
  /** A person releases all that is parked. */
  | { readonly kind: "release" }
  /** A person deletes a dead letter in the service's own console. */
  | { readonly kind: "delete-by-hand"; readonly letter: number };

export interface Job {
  readonly waitMs: number;
  readonly task: Task;
}

export interface PlannedLetter {
  /** `poison`: the service refuses every batch that holds it. */
  readonly kind: "plain" | "dropped" | "poison";
  /** So often its message dies again and comes back. */
  readonly deaths: number;
}

export const knobsOfPlans = {
  shipped: { windowsAtOnce: 8, pagesInFlight: undefined, windowSizes },
  down: turnedDown,
  up: turnedUp,
} as const;

export interface Plan {
  readonly letters: readonly PlannedLetter[];
  readonly unknownOutcome: "republish" | "park";
  /** How destinations are tried; null: drains have no lanes. */
  readonly lane: LaneConfig | null;
  /** How many windows and pages a worker works at once. */
  readonly atWork: keyof typeof knobsOfPlans;
  /** Records of a page, whatever is asked for. */
  readonly pageSize: number;
  readonly maxItems: number;
  /** Whether a refused item registers its deduplication id. */
  readonly remembersRefused: boolean;
  /** Every script of the ledger runs twice, and the second reply counts. */
  readonly scriptsTwice: boolean;
  /** Each works its lanes side by side; its clock is off by so much. */
  readonly workers: readonly { readonly skewMs: number; readonly lanes: readonly (readonly Job[])[] }[];
  readonly mishaps: readonly PlannedMishap[];
  /** So many turns after the one before, time jumps for everybody. */
  readonly jumps: readonly { readonly afterTurns: number; readonly ms: number }[];
}

/** More often past a takeover and past the horizon than past anything else: most stories need both. */
const span = fc.constantFrom(...spansMs, takeoverMs + 1_000, horizonMs + 1_000, horizonMs + 1_000);
/** A stop says more the longer it lasts: others finish meanwhile. */
const stop = fc.constantFrom(
  limits.sendByMs + 1_000,
  takeoverMs + 1_000,
  horizonMs + 1_000,
  limits.dedupWindowMs + 1_000,
  limits.tombstoneMs + limits.dedupWindowMs,
  limits.tombstoneMs + limits.dedupWindowMs,
);
const when = fc.constantFrom("before" as const, "after" as const);

const dies = fc.record({ kind: fc.constant("dies" as const), when });
const stalls = fc.record({ kind: fc.constant("stalls" as const), when, ms: stop });
const late = fc.record({ kind: fc.constant("late" as const), ms: span });
const fails = fc.constant({ kind: "fails" } as const);
const answerLost = fc.constant({ kind: "answer-lost" } as const);
const sentTwice = fc.record({ kind: fc.constant("sent-twice" as const), ms: span });
const refused = (...hows: readonly Refusal[]): fc.Arbitrary<Mishap> =>
  fc.constantFrom(...hows).map((how) => ({ kind: "refused", how }));

const ofAnyCall = [dies, stalls, stalls, late, fails, answerLost] as const;
const ofList = [fails, stalls, dies, refused("limited", "unauthorised")] as const;
const stale = fc.record({ kind: fc.constant("stale" as const), ms: span });

const mishapsOfService: { readonly [Name in Operation]?: fc.Arbitrary<Mishap> } = {
  publish: fc.oneof(
    ...ofAnyCall,
    refused("limited", "invalid", "unauthorised"),
    refused("limited", "unavailable", "one", "odd"),
  ),
  list: fc.oneof(...ofList, stale, stale),
  remove: fc.oneof(
    ...ofAnyCall,
    refused("limited", "unauthorised", "unavailable"),
    fc.constant({ kind: "short" } as const),
  ),
};
const mishapOfRedis: fc.Arbitrary<Mishap> = fc.oneof(...ofAnyCall, sentTwice);

const operations = Object.keys(weights) as Operation[];
const plannedMishap: fc.Arbitrary<PlannedMishap> = fc
  .constantFrom(...operations.flatMap((operation) => Array<Operation>(weights[operation]).fill(operation)))
  .chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      nth: fc.constantFrom(0, 0, 0, 1, 1, 2, 3, 5),
      times: fc.constantFrom(1, 1, 1, 2, 4, 8),
      mishap: mishapsOfService[operation] ?? mishapOfRedis,
    }),
  );

const task: fc.Arbitrary<Task> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("main", "twin").map((drain) => ({ kind: "pass", drain }) as const),
  },
  { weight: 5, arbitrary: fc.constant({ kind: "sweep" } as const) },
  { weight: 1, arbitrary: fc.constant({ kind: "release" } as const) },
  { weight: 1, arbitrary: fc.nat({ max: 3 }).map((letter) => ({ kind: "delete-by-hand", letter }) as const) },
);
const job: fc.Arbitrary<Job> = fc.record({ waitMs: fc.oneof(fc.constant(0), span), task });
const worker = fc.record({
  skewMs: fc.constantFrom(0, 0, 300_000, -300_000),
  lanes: fc.array(fc.array(job, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 2 }),
});
const letter: fc.Arbitrary<PlannedLetter> = fc.record({
  kind: fc.constantFrom("plain", "plain", "plain", "plain", "dropped", "poison"),
  deaths: fc.constantFrom(0, 0, 1, 4),
});

/** What dies again does so within the watch. Opens after one step, or after two. */
const lane = (canary: number, openFrom: number): LaneConfig => ({
  canary,
  openFrom,
  watchMs: 60_000,
  haltAt: 0.5,
  probeEveryMs: 60_000,
});

interface OfKnobs {
  readonly letters: { readonly minLength: number; readonly maxLength: number };
  readonly pageSizes: readonly number[];
}

/** What is turned up has enough letters for several windows and pages. */
const ofKnobs: Readonly<Record<Plan["atWork"], OfKnobs>> = {
  shipped: { letters: { minLength: 1, maxLength: 4 }, pageSizes: [100, 2] },
  down: { letters: { minLength: 1, maxLength: 4 }, pageSizes: [100, 2] },
  up: { letters: { minLength: 3, maxLength: 6 }, pageSizes: [1, 2] },
};

const planOf = (atWork: Plan["atWork"]): fc.Arbitrary<Plan> =>
  fc.record({
    atWork: fc.constant(atWork),
    letters: fc.array(letter, ofKnobs[atWork].letters),
    unknownOutcome: fc.constantFrom("republish", "park"),
    lane: fc.constantFrom(null, lane(1, 20), lane(2, 10)),
    pageSize: fc.constantFrom(...ofKnobs[atWork].pageSizes),
    maxItems: fc.constantFrom(100, 2),
    remembersRefused: fc.boolean(),
    scriptsTwice: fc.boolean(),
    workers: fc.array(worker, { minLength: 2, maxLength: 3 }),
    mishaps: fc.array(plannedMishap, { maxLength: 8, size: "max" }),
    jumps: fc.array(fc.record({ afterTurns: fc.nat({ max: 60 }), ms: stop }), { maxLength: 3 }),
  });

export const anyPlan: fc.Arbitrary<Plan> = fc.oneof(planOf("shipped"), planOf("down"), planOf("up"));
