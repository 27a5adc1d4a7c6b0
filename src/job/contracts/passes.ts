import type { DlqId } from "../message/dead-letter.ts";
import type { DrainName, PassId, SourceId } from "./ids.ts";
import type { FailureCounts, HourlyArrivals, StandingFailure } from "./failures.ts";
import type { Tally } from "./tally.ts";

/** Unix ms, inclusive. Windows are disjoint, except those that lanes add. */
export interface Window {
  readonly windowId: string;
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** Lanes added it. It goes first; other windows list the same records. */
export function isRecalled(windowId: string): boolean {
  return windowId.startsWith("r");
}

export interface Pass {
  readonly passId: PassId;
  readonly drain: DrainName;
  readonly source: SourceId;
  /** `full` lists everything; `new` lists new records, and windows in which something has become due. */
  readonly kind: "full" | "new";
  readonly mode: "plan" | "live";
  readonly documentHash: string;
  readonly from: number;
  readonly to: number;
  /** Earlier passes have counted what entered up to here, Unix ms; 0: none has. */
  readonly countedTo: number;
  readonly startedAt: number;
  readonly countingKey: string;
}

export interface DrainFacts extends Pick<
  Tally,
  "due" | "held" | "parked" | "inDoubt" | "reasons" | "oldestRecordAt"
> {
  /** The last pass was full and complete, and none is open: these are counts. Else they are kept up. */
  readonly exact: boolean;
  /** A pass has listed behind its own deletes, where a cursor that is a position skips; until a full pass. */
  readonly mayHaveSkipped: boolean;
  readonly failures: readonly StandingFailure[];
  /** How the last full pass counted (`toCountingKey`). */
  readonly counted?: { readonly as: string; readonly mode: Pass["mode"] };
  readonly countedTo: number;
  /** Ever, without those that the first count found. It never falls. */
  readonly arrivals: number;
  /** Of these, those that another drain counts for the source. */
  readonly arrivedAgain: number;
  /** How many of each kind have left the queue before anything is counted; null: a full pass has counted all. */
  readonly gone: Readonly<Record<string, number>> | null;
  /** How many were published by slots of 10 s (Unix time / 10 s, Redis time), of the last two minutes at most. */
  readonly pace: Readonly<Record<string, number>>;
  /** Since when something waits (Redis time, Unix ms), and how many were published since; null: nothing waits. */
  readonly backlog: { readonly at: number; readonly published: number } | null;
  readonly lastSuccessAt: number | null;
  readonly lastFullAt: number | null;
  readonly openPass: OpenPass | null;
  readonly lastOutcome: "complete" | "partial" | "abandoned" | null;
}

export interface OpenPass extends Pick<Pass, "passId" | "startedAt" | "kind"> {
  readonly progressAt: number;
  readonly windowsLeft: number;
  readonly soFar: Tally;
}

export type OpenVerdict =
  | {
      readonly kind: "opened";
      readonly pass: Pass;
      readonly windows: readonly Window[];
      readonly isQuiet: boolean;
    }
  | { readonly kind: "busy"; readonly passId: PassId; readonly windows: readonly Window[] };

export type AbandonedPass = Pick<
  Extract<CloseVerdict, { kind: "pass-closed" }>,
  "pass" | "tally" | "durationMs"
>;

export interface OpenRequest extends Omit<Pass, "kind" | "from" | "startedAt" | "countedTo"> {
  readonly fullFrom: number;
  readonly fullEveryMs: number;
  /** False forces a full pass (dates of this source do not select by entry, or not yet known). */
  readonly mayBeNew: boolean;
  readonly overlapMs: number;
  readonly abandonAfterMs: number;
}

/** More windows of an open pass than are worked at once, because some may wait for another try. */
export const maxLeftShown = 128;

export type WindowEnd =
  | { readonly kind: "done"; readonly split: readonly Window[] }
  | { readonly kind: "failed" }
  /** Nobody works it any more: as failed, with what its last worker has written by `progress`. */
  | { readonly kind: "abandoned" };

export type CloseVerdict =
  | {
      readonly kind: "pass-open";
      /** Of the windows left: recalled ones first, then the oldest; at most `maxLeftShown`. */
      readonly left: readonly Window[];
    }
  | {
      readonly kind: "pass-closed";
      readonly pass: Pass;
      readonly outcome: "complete" | "partial";
      readonly tally: Tally;
      readonly durationMs: number;
    }
  /** The pass is closed, or has no such window, or another owner has it: nothing changed. */
  | { readonly kind: "stale" };

export interface WindowRun {
  readonly passId: PassId;
  readonly windowId: string;
  readonly owner: string;
}

export interface TakenWindow {
  readonly pass: Pass;
  readonly window: Window;
  readonly rows: number;
  readonly left: number;
  /** Null: nothing says that something in it ends its workers. */
  readonly care: Care | null;
  /** What has ended its workers: the last hundred records, and moments to list of the last day. */
  readonly unworkable: readonly DlqId[];
  readonly unlistable: readonly number[];
  readonly workerLostAt: number | null;
}

/**
 * Two workers in a row were lost before they had done anything. From then on each says what it has under
 * work, which finds the record that ends them.
 */
export interface Care {
  /** Under work when a worker was lost: with so many. */
  readonly suspects: Readonly<Partial<Record<DlqId, number>>>;
  /** Under work alone when the last was lost, so many in a row: soon after it had begun, or after a while. */
  readonly alone?: { readonly id: DlqId; readonly lost: number; readonly long: number };
  readonly listings: number;
}

export interface WindowMark {
  /** `waiting`: nothing that could end a worker. `long`: what it had before, for a while already. */
  readonly under: "listing" | "waiting" | "long" | readonly DlqId[];
  readonly cleared?: readonly DlqId[];
  readonly unworkable?: readonly DlqId[];
  /** A moment not to be listed for a day, Unix ms by the service's dates. */
  readonly unlistable?: number;
}

/**
 * Passes of one drain do not overlap. This saves work; safety relies on the ledger. A pass is a row opened by
 * compare-and-set, a window an entry in it. Guarantees: one script per call, idempotent per (passId,
 * windowId). Fails with `redis-unavailable`.
 *
 * `owner`: a token of one run of a window. Who takes a window writes its own. So the counts of an earlier worker,
 * which froze and goes on, are refused. Without a token on either side, all is accepted.
 */
export interface PassBook {
  /** `abandoned`: the earlier pass that this call closed, with what it had done. */
  open(request: OpenRequest): Promise<OpenVerdict & { readonly abandoned: AbandonedPass | null }>;
  /**
   * Null if its pass is closed or the window has ended. Counts as progress. What an earlier worker of the window has
   * done stays counted; what it left is counted again. If it has neither ended nor left the window, and
   * its lock has ended (`hasStalled`), it was lost.
   */
  takeWindow(
    drain: DrainName,
    passId: PassId,
    windowId: string,
    owner?: string,
    hasStalled?: boolean,
  ): Promise<TakenWindow | null>;
  /** False if the window is another owner's by now, or has ended: then nothing is recorded. */
  markWindow(drain: DrainName, run: WindowRun, mark: WindowMark): Promise<boolean>;
  /**
   * Its worker lives and gives it back. Nothing, if the window is another owner's by now. `isStopping`: it makes no
   * calls any more, so what it has begun waits for nobody, as if it were lost.
   */
  leaveWindow(drain: DrainName, run: WindowRun, isStopping?: boolean): Promise<void>;
  /**
   * Counts as progress. Answers how many windows of the pass have not ended; null if it is closed; `taken-over`
   * if the window is another owner's by now, or has ended: then only `dueLater` is recorded. `dueLater`:
   * Unix ms at which something entered in that minute becomes due. `soFar` and `failures`: of all pages of this
   * window by its present worker; shown with the open pass until the window ends.
   */
  progress(
    drain: DrainName,
    passId: PassId,
    windowId: string,
    dueLater: readonly { readonly enteredAt: number; readonly dueAt: number }[],
    soFar: Tally,
    failures: FailureCounts,
    owner?: string,
  ): Promise<number | "taken-over" | null>;
  /**
   * Ends a window with its counts. The last one closes the pass, moves the watermark if all were done, and
   * writes the drain's facts. A pass that passed records over is partial and its facts are not exact, but its
   * watermark moves: the next full pass meets them again. A second end answers as before and changes nothing.
   * `counted`: as arrived, of those that other drains list too. What they took of these meanwhile waits no more, and what
   * they took of others has arrived.
   */
  endWindow(
    drain: DrainName,
    passId: PassId,
    windowId: string,
    end: WindowEnd,
    tally: Tally,
    failures: FailureCounts,
    owner?: string,
    counted?: readonly DlqId[],
  ): Promise<CloseVerdict>;
  /** Counts what sweeps, a person's orders and other drains (`taken`) did. `id`: of this call. */
  countActs(drain: DrainName, id: string, failures: FailureCounts, retentionMs: number): Promise<void>;
  facts(drain: DrainName): Promise<DrainFacts | null>;
  /** By kind of failure, with what the open pass has found so far: what this drain counts for its source. */
  arrivals(drain: DrainName): Promise<ReadonlyMap<string, HourlyArrivals>>;
  forceFull(drain: DrainName): Promise<void>;
  /**
   * Makes these minutes of entry (their starts, Unix ms) due now. An open pass lists them (again) before its
   * other windows, and counts none of their records twice as due, held, parked or in doubt. Without an open
   * pass, the next one lists them.
   */
  listAgain(drain: DrainName, minutes: readonly number[]): Promise<void>;
}
