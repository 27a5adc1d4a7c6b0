import type { RecordedFailure, StandingFailure } from "../../job/contracts/failures.ts";
import type { DrainName, SourceId } from "../../job/contracts/ids.ts";
import type { LaneView } from "../../job/contracts/lanes.ts";
import type { Destination, QueueFacts } from "../../job/contracts/queue-facts.ts";
import { toHeldByRules, toLeftAlone, type LeftAlone } from "../read/outlook.ts";

/** What notices are made from: the facts of one source that status shows. Times are Unix ms. */
export interface NoticeFacts {
  readonly drains: readonly DrainNoticeFacts[];
  readonly kinds: ReadonlyMap<string, RecordedFailure>;
  /** Kinds that a person does not want to hear of now. */
  readonly quiet: ReadonlySet<string>;
  /** Kinds that somebody works on. */
  readonly owned: ReadonlySet<string>;
  /** Lanes that are halted now. */
  readonly halted: readonly HaltedLane[];
  /** False: there are more, so a lane that is not among them may be halted too. */
  readonly isHaltedWhole: boolean;
  /** Near their expiry and without a copy, as of the last census. */
  readonly uncopied: number;
}

/** `why`: the answers that halted it. `nextAt`: its next probe, Unix ms by Redis; null: unknown. */
export type HaltedLane = Pick<LaneView, "lane" | "drain" | "origin" | "nextAt" | "why">;

export interface DrainNoticeFacts {
  readonly drain: DrainName;
  /** In the DLQ and not parked. */
  readonly waiting: number;
  /** Nothing has counted the drain yet: at least so many wait. */
  readonly stillCounting: boolean;
  /** No pass has listed it to its end: more has arrived than its kinds say. A census does not count those. */
  readonly isFirstListing?: boolean;
  /** Of those: held until somebody changes a rule. */
  readonly heldByRules: number;
  /** Absent: none. */
  readonly leftAlone?: LeftAlone;
  /** More may wait than was counted, until a full pass has listed everything. */
  readonly mayHaveSkipped?: boolean;
  readonly parked: number;
  /** Ever. */
  readonly published: number;
  readonly failedAgain: number;
  readonly failures: readonly StandingFailure[];
  /** Where its records wait. */
  readonly destinations: readonly Pick<Destination, "origin" | "waiting">[];
  /** When its oldest record expires; null: it has none. */
  readonly expiresAt: number | null;
  /** Its `beforeExpiry.within`, ms. */
  readonly nearMs: number;
}

export function toNoticeFacts(
  { drains, sources }: Pick<QueueFacts, "drains" | "sources">,
  source: SourceId,
  others: Pick<NoticeFacts, "halted" | "isHaltedWhole" | "quiet" | "owned">,
  nearMs: ReadonlyMap<DrainName, number>,
): NoticeFacts {
  const own = sources.find((one) => one.source === source);
  return {
    drains: drains
      .filter((drain) => drain.source === source)
      .map(({ drain, facts, destinations, retentionMs, stillCounting }) => {
        const sum = (count: (one: (typeof destinations)[number]) => number): number =>
          destinations.reduce((total, one) => total + count(one), 0);
        const waiting = sum((one) => one.waiting);
        const parked = sum((one) => one.parked);
        const oldestAt = facts?.oldestRecordAt ?? null;
        return {
          drain,
          waiting,
          stillCounting,
          isFirstListing: (facts?.lastSuccessAt ?? null) === null,
          heldByRules: toHeldByRules(facts, waiting),
          leftAlone: toLeftAlone(facts, waiting),
          mayHaveSkipped: facts?.mayHaveSkipped ?? false,
          parked,
          published: sum((one) => one.published),
          failedAgain: sum((one) => one.failedAgain),
          failures: facts?.failures ?? [],
          destinations,
          expiresAt: oldestAt === null || waiting + parked === 0 ? null : oldestAt + retentionMs,
          nearMs: nearMs.get(drain) ?? 0,
        };
      }),
    kinds: new Map((own?.failures ?? []).map((kind) => [kind.id, kind])),
    ...others,
    uncopied: own?.census?.expiringUnarchived ?? 0,
  };
}
