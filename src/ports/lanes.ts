import type { ComeBackKind } from "../message/come-back-kind.ts";
import type { LaneConfig } from "./drains.ts";
import type { DrainName } from "./ids.ts";

/** `https://api.example.com:8443` of a destination, or `queue:<name>` of a queue record. */
export type Origin = string;

/** One destination origin in one drain. docs/lanes.md has the states and what leads from one to the next. */
export type LaneState = "canary" | "ramping" | "open" | "halted";

/** In the order in which people read them: what waits comes first. */
export const laneStates: readonly LaneState[] = ["halted", "canary", "ramping", "open"];

/**
 * The canaries that are judged together. Signed into the lineage of each, and of nothing that is sent plain,
 * so that a come-back names the step that it was part of.
 */
export interface StepRef {
  /** Short hash of drain and origin (`toLaneId`); the same in every replica. */
  readonly lane: string;
  /**
   * Counts up from the second (Unix time) in which the lane was first asked for, so that a come-back of a
   * step that Redis has forgotten is not taken for one of this memory's.
   */
  readonly step: number;
}

export interface LaneAsk {
  readonly lane: string;
  readonly origin: Origin;
  /** How many of a page's messages want to be published to it; 0 only asks for its state. */
  readonly wanted: number;
  /**
   * Minutes of entry in which such messages are found again: their starts, Unix ms by the service's clock, at
   * most two. The lane remembers them if less is granted than was wanted, and always if it is halted.
   */
  readonly resumeMinutes: readonly number[];
}

/**
 * A step or probe that is due for judgement gets its listing check within this time. Until then `until` is
 * this far ahead.
 */
export const lateCheckMs = 15_000;

/** What a lane lets go now, of what a page wants. */
export interface LaneAnswer {
  readonly state: LaneState;
  /**
   * Messages that are sent so that silence means something: no retries, no delay, a timeout below `watch`.
   */
  readonly canaries: number;
  /**
   * Messages that are sent as they are. Only an open lane grants these, and none while what it sent before is
   * not judged for too long.
   */
  readonly plain: number;
  readonly step: number;
  /**
   * Hashes (`toRootHash`) of the roots that were sent last as canaries, at most 10: another message goes
   * first where there is one.
   */
  readonly avoid: readonly string[];
  /**
   * False while one of `avoid` is better left for a page that has others: in the first minute in which a
   * probe is due.
   */
  readonly mayRepeat: boolean;
  /**
   * Halted, or not open again for an hour since: what has no attempts left is not parked for it. Of a halted
   * lane false once nothing was sent for a day.
   */
  readonly isSuspect: boolean;
  /**
   * Redis time, Unix ms, at which the next step or probe can be granted, as far as can be told; not after now
   * where there is room already; null: it is open and holds nothing, or unknown.
   */
  readonly until: number | null;
}

/** Canaries that were published to a lane just now. Plain messages are not reported. */
export interface LaneSent extends StepRef {
  /** Hashes (`toRootHash`) of their roots, one for each. */
  readonly roots: readonly string[];
}

/** Granted canaries that were not published: held by something else, not sent, refused, or in doubt. */
export interface LaneUnused extends StepRef {
  /** 0 if only resume minutes are reported. */
  readonly count: number;
  /**
   * Resume minutes of what was denied, if none of it lies in the minutes that came with the question. They
   * are remembered as those.
   */
  readonly resumeMinutes: readonly number[];
}

export interface LaneComeBack extends StepRef {
  /** Its parent: each is counted once, however often it is listed. */
  readonly parentDlqId: string;
  /**
   * `again`: refused as before, of a message that is known to be bad. It shows that the receiver answers, as
   * a delivery does.
   */
  readonly kind: ComeBackKind | "again";
  /** Status that it failed with; 0: no answer. */
  readonly status: number;
}

/** A step whose watch asks for a listing check: have its canaries come back? */
export interface LaneWatch extends StepRef {
  readonly drain: DrainName;
  readonly origin: Origin;
  readonly state: LaneState;
  /** Redis time at which the first canary of the step was granted, Unix ms: none was published earlier. */
  readonly firstSentAt: number;
  /** When its silence is complete. */
  readonly until: number;
}

/** What became of a lane by what was recorded. */
export type LaneChange =
  | { readonly kind: "none" }
  /** Another state, or the next size. `size`: of the step that follows; 0 when halted. */
  | {
      readonly kind: "moved";
      readonly lane: string;
      readonly drain: DrainName;
      readonly origin: Origin;
      readonly from: LaneState;
      readonly to: LaneState;
      readonly size: number;
      readonly why: string;
      readonly sent: number;
      readonly comeBacks: number;
      /**
       * Minutes that the next step may be filled from, handed out with the move. Empty if it opened or
       * halted.
       */
      readonly resumeMinutes: readonly number[];
      /**
       * It can go on, and remembers no minute of what it held. A full pass finds those messages. Reported
       * once, and always if it opens.
       */
      readonly wantsFull: boolean;
    };

/** A drain that has lanes which can go on now, and the minutes of entry of their messages. */
export interface LaneReady {
  readonly drain: DrainName;
  /** Ascending, each once. */
  readonly resumeMinutes: readonly number[];
}

/** What only grows. */
export interface LaneTotals {
  readonly canaries: number;
  readonly comeBacks: number;
  readonly halts: number;
}

/** How a lane stood when it was last used, for people. Times are Redis time, Unix ms. */
export interface LaneView extends StepRef {
  readonly drain: DrainName;
  readonly origin: Origin;
  readonly state: LaneState;
  readonly since: number;
  /** Short text, without anything of a message. */
  readonly why: string;
  readonly size: number;
  readonly sent: number;
  readonly comeBacks: { readonly down: number; readonly refused: number };
  readonly nextAt: number | null;
  /**
   * It halted again before it was open for long: where a probe survives, `canary` messages follow and not ten
   * times as many.
   */
  readonly isShaky: boolean;
  /** Totals since the lane is remembered. */
  readonly totals: LaneTotals;
  /** Last publish of a canary; before the first, when it was first asked for. */
  readonly lastUsedAt: number;
}

/**
 * Lane states of one source, shared by all replicas. An economy and a courtesy to receivers, never a part of
 * the delivery guarantee: a loss of Redis forgets lanes, and they begin again at canary.
 *
 * Guarantees: one script per call, all times Redis TIME; what two replicas ask for at once is never granted
 * twice; a grant that is neither sent nor given back is forgotten when its page can publish nothing any more
 * (`grantLifeMs`); no step counts as survived unless something of it was published and a look covered its
 * whole watch, or each of its messages is known to be back or delivered; a come-back is counted once. Kept
 * small: about 1 KB per lane; forgotten when unused for seven days. A call that is sent again counts once.
 * Fails with `redis-unavailable`.
 */
export interface LaneBook {
  /**
   * For one page: at most 100 lanes, each once. Answers in order. `at` is Redis time. What is wanted of each
   * is added up for `busiest`.
   */
  ask(
    drain: DrainName,
    config: LaneConfig,
    asks: readonly LaneAsk[],
  ): Promise<{ readonly answers: readonly LaneAnswer[]; readonly at: number }>;
  /** Right after the service accepted them: the watch counts from here. */
  sent(sent: readonly LaneSent[]): Promise<void>;
  giveBack(unused: readonly LaneUnused[]): Promise<void>;
  /**
   * Records come-backs that a pass or a listing check met. Those of unknown steps change nothing. Answers the
   * lanes that moved.
   */
  recordComeBacks(comeBacks: readonly LaneComeBack[]): Promise<readonly LaneChange[]>;
  /**
   * Of the 200 lanes that have waited longest: steps that ask for a listing check now, and drains that have a
   * lane which can go on now. A lane can go on if its probe is due, or its step has room, and it has resume
   * minutes. Each answer goes to whoever asks first. A check is asked for halfway through the watch, at its
   * end, and then every 15 s until the step is judged. A minute is handed out
   * once: two for a probe, all of them for a step, and more for the same step after a minute.
   */
  due(): Promise<{
    readonly watches: readonly LaneWatch[];
    readonly ready: readonly LaneReady[];
    readonly at: number;
  }>;
  /**
   * Reports a listing check. The listing began at `checkedAt` (Redis time) and covered all that entered since
   * the step's first canary. `comeBacks` are all of the step that it showed; those of other steps go to
   * `recordComeBacks`. The step is judged if its watch was over by then and nothing of it is under way.
   */
  checked(step: StepRef, checkedAt: number, comeBacks: readonly LaneComeBack[]): Promise<LaneChange>;
  /**
   * The receiver reported a delivery (a callback): a step of which all is delivered or back needs no
   * silence.
   */
  delivered(step: StepRef, parentDlqId: string): Promise<LaneChange>;
  /**
   * For people: at most `max` lanes in the order of `laneStates`, of each state those used last first, so
   * that one that is halted is hidden by no other.
   */
  views(max: number): Promise<LanesCounted>;
  /** Those of these lanes that are remembered, at most 100, in any order. */
  viewsOf(lanes: readonly string[]): Promise<readonly LaneView[]>;
  /**
   * The lanes that pages have asked for most messages since each is remembered, at most `max`; what is held
   * is asked for by each page that meets it. The most asked for first, of equals the larger id. Unlike those
   * used last they are the same ones for days. `totals`: of all lanes of the source, also of those that are
   * forgotten since; they begin again where all are.
   */
  busiest(max: number): Promise<LanesCounted & { readonly totals: LaneTotals }>;
}

/** `counts`: of all lanes of the source. */
export interface LanesCounted {
  readonly lanes: readonly LaneView[];
  readonly counts: Readonly<Record<LaneState, number>>;
}
