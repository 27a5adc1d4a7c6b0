import type { ComeBackKind } from "../message/come-back-kind.ts";
import type { LaneConfig } from "./drains-document.ts";
import type { DrainName } from "./ids.ts";
import type { ServiceLoad, ServiceLoadThen } from "./service.ts";

/** `https://api.example.com:8443` of a destination, or `queue:<name>` of a queue record. */
export type Origin = string;

/** What each state means and what ends it stands over the machine (store/lanes/lane-machine.lua.ts). */
export type LaneState = "canary" | "ramping" | "open" | "halted";

/** In reading order for people: the waiting ones come first. */
export const laneStates: readonly LaneState[] = ["halted", "canary", "ramping", "open"];

/** Canaries that are judged together. It is signed into their lineage, so that a come-back names it. */
export interface StepRef {
  readonly lane: string;
  /** Counts up from the Unix second of the lane's first request: no number of a forgotten step returns. */
  readonly step: number;
}

export interface LaneAsk {
  readonly lane: string;
  readonly origin: Origin;
  /** Messages of the page; 0 only asks for its state. */
  readonly wanted: number;
  /** Not to be counted once more. */
  readonly isAgain?: boolean;
  /** None of them can carry a callback, so silence judges them also with `byReport`. */
  readonly isSilent?: boolean;
  /** Minutes of entry with such messages, at most two: remembered if it is halted or grants less. */
  readonly resumeMinutes: readonly number[];
}

/** Probes are at most this times `probeEvery` apart. */
export const maxProbe = 3;

/** A due step or probe gets its listing check within this time. Until then `until` is this far ahead. */
export const lateCheckMs = 15_000;

export interface LaneAnswer {
  readonly state: LaneState;
  /** Sent without retries and delay, and with a timeout below `watch`: silence means delivery. */
  readonly canaries: number;
  /** Sent as they are: by an open lane, or while earlier ones wait long for a verdict. */
  readonly plain: number;
  readonly step: number;
  /** Hashes (`toRootHash`) of the last canaries' roots, at most 10. Others go first. */
  readonly avoid: readonly string[];
  /** False in the first minute of a due probe: one of `avoid` is then left for a page that has others. */
  readonly mayRepeat: boolean;
  /** Halted within a day, or not open for an hour: a message without attempts left is not parked. */
  readonly isSuspect: boolean;
  /** Canaries of it are not known to be delivered although their watch is over. */
  readonly isUnknown: boolean;
  /** Redis time of the next possible grant. Null: it is open and holds nothing, or the time is unknown. */
  readonly until: number | null;
}

/** Canaries that were published just now. Plain messages are not reported. */
export interface LaneSent extends StepRef {
  /** Hashes (`toRootHash`) of their roots, one for each. */
  readonly roots: readonly string[];
}

/** Granted canaries that were not published: held for another reason, not sent, or refused. */
export interface LaneUnused extends StepRef {
  /** 0 if only resume minutes are reported. */
  readonly count: number;
  readonly resumeMinutes: readonly number[];
}

export interface LaneComeBack extends StepRef {
  /** Each is counted once, however often it is listed. */
  readonly parentDlqId: string;
  /** `again`: a known bad message was refused as before. The receiver answers, as after a delivery. */
  readonly kind: ComeBackKind | "again";
  /** Status of its failure; 0: no answer. */
  readonly status: number;
  /** From its publish to its failure, by the service's clock. */
  readonly tookMs?: number;
}

export interface LaneWatch extends StepRef, Pick<LaneView, "drain" | "origin" | "state"> {
  /** Of the step's first grant: no canary was published earlier. */
  readonly firstSentAt: number;
  readonly until: number;
  /** The service is to be asked now, before the listing. At most once in each watch. */
  readonly asks?: true;
}

export interface LaneMove {
  readonly drain: DrainName;
  readonly origin: Origin;
  readonly from: LaneState;
  readonly to: LaneState;
  /** Of the step that follows; 0 when halted. */
  readonly size: number;
  readonly why: string;
  readonly sent: number;
  readonly comeBacks: number;
}

export type LaneChange =
  | { readonly kind: "none" }
  | (LaneMove & {
      readonly kind: "moved";
      readonly lane: string;
      readonly resumeMinutes: readonly number[];
      /** It can go on without minutes: a full pass finds its messages. Reported once. */
      readonly wantsFull: boolean;
    });

export interface LaneReady {
  readonly drain: DrainName;
  readonly resumeMinutes: readonly number[];
  readonly wantsFull?: true;
}

/** `due`: its probe may be granted now. `under-way`: one was granted or sent before. */
export type LaneProbe =
  | { readonly kind: "unknown" | "due" }
  | { readonly kind: "not-halted"; readonly state: LaneState }
  | { readonly kind: "under-way"; readonly since: number };

export type LaneReset =
  | { readonly kind: "unknown" }
  | ({ readonly kind: "reset" } & Pick<LaneMove, "from" | "why" | "sent" | "comeBacks">);

export interface LaneTotals {
  readonly canaries: number;
  readonly comeBacks: number;
  readonly halts: number;
}

/** A lane as of its last use. Times are Redis time, Unix ms. */
export interface LaneView extends StepRef, Pick<LaneMove, "drain" | "origin" | "why" | "size" | "sent"> {
  readonly state: LaneState;
  readonly since: number;
  readonly comeBacks: { readonly down: number; readonly refused: number };
  readonly unknown: number;
  readonly nextAt: number | null;
  /** It halted soon after it opened: a surviving probe leads to `canary` messages, not ten times that. */
  readonly isShaky: boolean;
  readonly totals: LaneTotals;
  /** Last publish of a canary. Before the first: the first request. */
  readonly lastUsedAt: number;
}

/**
 * Lane states of one source, shared by all replicas. They save calls and spare receivers, and are never a
 * part of the delivery guarantee: a loss of Redis forgets lanes, and they begin again at canary.
 *
 * Guarantees:
 * - One script per call; all times are Redis TIME. Concurrent requests of two replicas never share a grant.
 * - A grant that is neither sent nor given back is forgotten once its page can publish nothing any more
 *   (`grantLifeMs`).
 * - A step survives only if some of it was published and a listing check covered its whole watch, or if each
 *   of its messages has come back or was delivered. A come-back is counted once.
 * - With `byReport` silence is no proof: the step is as large as what is known of it, and is watched again if
 *   nothing is. With `byAsking` it is one once the service has said that nothing waits.
 * - A step that survived halts its lane if too many of it fail later.
 * - A lane takes about 1 KB and is forgotten after seven days without use. A repeated call counts once.
 *
 * Fails with `redis-unavailable`.
 */
export interface LaneBook {
  /** At most 100 lanes, each once; answers in order. `at` is Redis time. Sums of `wanted` feed `busiest`. */
  ask(
    drain: DrainName,
    config: LaneConfig,
    asks: readonly LaneAsk[],
  ): Promise<{ readonly answers: readonly LaneAnswer[]; readonly at: number }>;
  /** Right after the service accepted them: the watch starts here. */
  sent(sent: readonly LaneSent[]): Promise<void>;
  giveBack(unused: readonly LaneUnused[]): Promise<void>;
  /** From passes and listing checks. Unknown steps change nothing. Answers the moved lanes. */
  recordComeBacks(comeBacks: readonly LaneComeBack[]): Promise<readonly LaneChange[]>;
  /**
   * Of the 200 lanes that have waited longest: steps that need a listing check now, and drains with a lane that has
   * resume minutes and can go on: its probe is due, or its step has room. Each answer goes to the first caller only. A
   * check is due halfway through the watch, at its end, and then every 15 s until the step is judged. A minute is
   * handed out once: two for a probe, all of them for a step, and more for the same step after a minute.
   */
  due(): Promise<{
    readonly watches: readonly LaneWatch[];
    readonly ready: readonly LaneReady[];
    readonly at: number;
  }>;
  /** True if a lane wants something, now or later: then `due` is to be called now and then. */
  areWaiting(): Promise<boolean>;
  /**
   * Reports a listing that began at `checkedAt` (Redis time) and covered all that entered since the step's
   * first canary. `comeBacks` of other steps are ignored here. The step is judged if its watch was over by
   * then and none of its messages is under way. `service`: what it answered before this listing began.
   */
  checked(
    step: StepRef,
    checkedAt: number,
    comeBacks: readonly LaneComeBack[],
    service?: ServiceLoad,
  ): Promise<LaneChange>;
  /** A callback reported a delivery. A step needs no silence once each message is delivered or back. */
  delivered(step: StepRef, parentDlqId: string): Promise<LaneChange>;
  /** Those of these parents that were reported as delivered, as far as that is remembered. */
  deliveredOf(parentDlqIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** In the order of `laneStates`, so that no other lane hides a halted one, and then the last used first. */
  views(max: number): Promise<LanesCounted>;
  /** Those of these lanes that are remembered, at most 100, in any order. */
  viewsOf(lanes: readonly string[]): Promise<readonly LaneView[]>;
  /** Of one state, the last used first, without the first `skip`. For a person's list of all lanes. */
  viewsIn(state: LaneState, skip: number, max: number): Promise<readonly LaneView[]>;
  /** Makes the next probe of a halted lane due now. It is granted and counts as any other. */
  probeNow(lane: string): Promise<LaneProbe>;
  /** The lane starts over at canary and forgets its failures. Reports of its earlier steps count no more. */
  reset(lane: string): Promise<LaneReset>;
  /** Those asked for most messages, of equals the larger id: the same for days, unlike the last used. */
  busiest(max: number): Promise<LanesCounted>;
}

export interface LanesCounted {
  readonly lanes: readonly LaneView[];
  readonly counts: Readonly<Record<LaneState, number>>;
  /** Forgotten ones included. They start over when all are forgotten. */
  readonly totals: LaneTotals;
  readonly at: number;
  readonly unknown: number;
  readonly lastUsedAt: number | null;
  /** When a callback last told of a delivery. Null: none has for seven days. */
  readonly reportedAt: number | null;
  /** What the service said last. Null: it was never asked. */
  readonly service: ServiceLoadThen | null;
}

export function hasLanes(
  drains: ReadonlyMap<string, { readonly source: object; readonly config: { readonly lane?: object } }>,
  source: object,
): boolean {
  return [...drains.values()].some((drain) => drain.source === source && drain.config.lane !== undefined);
}
