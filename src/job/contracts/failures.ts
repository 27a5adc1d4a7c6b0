import type { FailureKind } from "../message/failure-kind.ts";
import type { DrainName } from "./ids.ts";
import type { QueueSample } from "./queue-series.ts";

/**
 * What a window, or any other work on a drain, found of one kind of failure. Counts that are absent are 0.
 * What was published or archived before does not wait any more, and is not counted.
 */
export interface FailureCount {
  /** Listed, each record once in a pass. */
  readonly seen?: number;
  readonly parkedBefore?: number;
  /** Parked by this work, less those that it released. */
  readonly parked?: number;
  readonly published?: number;
  readonly dropped?: number;
  readonly discarded?: number;
  /** Published or dropped by another drain that lists it too: by dlqId. */
  readonly taken?: Readonly<Record<string, number>>;
  readonly failedAgain?: number;
  /** Of these, how many were sent as another kind, by its id. */
  readonly failedAgainOf?: Readonly<Record<string, number>>;
  /** The same of a drain that only plans: they stay, and are counted again if their window is listed again. */
  readonly cameBack?: number;
  /** Entered after everything that earlier passes have counted: by the hour of entry (Unix time / 1 h). */
  readonly arrived?: Readonly<Record<string, number>>;
  /** The same of those that were published or dropped. */
  readonly arrivedDone?: Readonly<Record<string, number>>;
  readonly lastArrivedAt?: number;
  /** How many each rule decided, by what it does and its name: `republish outage`, `hold otherwise`. */
  readonly ruled?: Readonly<Record<string, number>>;
  /** Left in the queue, and to expire within a day or before the next full pass: by the hour of expiry. */
  readonly expires?: Readonly<Record<string, number>>;
  /** Counted so by an earlier pass, and published or dropped by this work. */
  readonly expiresDone?: Readonly<Record<string, number>>;
  readonly firstAt?: number;
  readonly oldestAt?: number;
}

/** By id of a kind. Of what another drain counts for the source, once more under `toAgainId`. */
export type FailureCounts = Readonly<Record<string, FailureCount>>;

/**
 * One drain counts a record for its source: of those that list it the first in the document, live ones before those that
 * only plan. Each other one counts it for itself, and again under this id: a sum over drains takes that off.
 */
export function toAgainId(id: string): string {
  return `~${id}`;
}

export function isAgainId(id: string): boolean {
  return id.startsWith("~");
}

export function inCountingOrder<Drain extends { readonly mode: "plan" | "live" }>(
  drains: readonly Drain[],
): readonly Drain[] {
  return drains.toSorted((one, other) => Number(one.mode === "plan") - Number(other.mode === "plan"));
}

/** One kind of failure in the queue of one drain, as of the last pages. */
export interface StandingFailure extends QueueSample {
  readonly id: string;
  readonly discarded: number;
  /** Of those that were published as this kind, whatever they failed with then; as far as that kind is known. */
  readonly failedAgain: number;
  /** Of these, those that are of another kind now, by its id. */
  readonly failedAgainAs: Readonly<Record<string, number>>;
  readonly lastArrivedAt: number | null;
  /** Arrivals in the hour with most of them, as far as it is remembered. */
  readonly largestHour: number;
  /** As `FailureCount` has it, since the last full pass. */
  readonly ruled: Readonly<Record<string, number>>;
  /** By the hour of expiry (Unix time / 1 h): what the last full pass left, less what is done since. */
  readonly expires: Readonly<Record<string, number>>;
  readonly oldestAt: number | null;
  /** Entry of the first one since the queue had none of the kind, Unix ms; null: nothing waits or is parked. */
  readonly since: number | null;
  /** When one last entered the queue or left it, by the end of its pass, Unix ms; 0: not known. */
  readonly lastMovedAt: number;
  /** Entry of the first one after nothing had been there or moved for `resolvedAfterMs`, Unix ms; 0: none is known. */
  readonly reopenedAt: number;
  readonly again?: CountedAgain;
}

export type CountedAgain = Pick<StandingFailure, "waiting" | "parked" | "arrived" | "expires" | "ruled">;

/** Without any in the queue, entered or left: what the service's first retries bring is the same trouble. */
export const resolvedAfterMs = 15 * 60_000;

/** A kind of failure as it is recorded for all drains of a source. Times are Redis time, Unix ms. */
export interface RecordedFailure extends FailureKind {
  readonly firstMetAt: number;
  /** Within the last hour of its last meeting. */
  readonly lastMetAt: number;
  readonly drain: DrainName;
  /** One of its dead letters, met within an hour before `lastMetAt`. It may be gone. */
  readonly sample: string | null;
}

export interface MetFailure extends FailureKind {
  readonly sample: string | null;
  /** The id of all other failures of its destination, for when there is no room for its own. */
  readonly othersId: string;
}

/** Kinds of failure that are recorded for one source. Above this, the rest of a destination is counted as one. */
export const maxFailureKinds = 500;

/** Arrivals of a kind by hour (Unix time / 1 h), of the last `arrivalHours`. */
export type HourlyArrivals = Readonly<Record<string, number>>;

export const arrivalHours = 168;

/**
 * The kinds of failure of one source, shared by all replicas. Bounded: at `maxFailureKinds` a kind that nobody
 * has met for a day makes room for a new one. Fails with `redis-unavailable`.
 */
export interface FailureBook {
  /** Records kinds met here. Answers the id to count each under: its own, or of its destination's others. */
  meet(drain: DrainName, kinds: readonly MetFailure[]): Promise<ReadonlyMap<string, string>>;
  all(): Promise<readonly RecordedFailure[]>;
}

export interface FailureNote {
  readonly text: string;
  readonly ticket: string;
  readonly by: string;
  readonly at: number;
}

export interface FailureQuiet {
  /** Unix ms; `changed`: until more arrive than before, or its rules decide otherwise. */
  readonly until: "changed" | number;
  readonly largestHour: number;
  readonly ruled: readonly string[];
  readonly by: string;
  readonly at: number;
}

export interface FailureOwner {
  readonly name: string;
  readonly at: number;
}

export interface FailureMark {
  readonly owner: FailureOwner | null;
  readonly note: FailureNote | null;
  readonly quiet: FailureQuiet | null;
  readonly forgotten: RecordedFailure | null;
}

/**
 * What persons wrote down about kinds of failure of one source. A mark lives as long as its kind is recorded,
 * and `marksKeptMs` longer. Bounded: of 1,000 marks the one that was forgotten longest ago makes room. Fails
 * with `redis-unavailable`.
 */
export interface FailureMarks {
  all(): Promise<ReadonlyMap<string, FailureMark>>;
  /** Changes the given parts of the note; an empty text removes one. */
  note(id: string, note: Partial<Pick<FailureNote, "text" | "ticket">>, by: string): Promise<void>;
  /** Null: nobody any more. */
  own(id: string, name: string | null): Promise<void>;
  quiet(id: string, quiet: Omit<FailureQuiet, "at"> | null): Promise<void>;
}

export const marksKeptMs = 30 * 86_400_000;
