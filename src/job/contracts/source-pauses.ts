/**
 * Classes of calls that the service limits apart, so that each is paused apart: listing and deleting dead
 * letters, and publishing batches (remote-contract.md: the endpoints of the DLQ have a limit per second, the
 * batch has a daily quota).
 */
export const callClasses = ["dlq", "batch"] as const;
export type CallClass = (typeof callClasses)[number];

/** `rate-limited`: a 429 gave a time. `failing`: the source did not answer several times in a row. */
export type SourcePauseReason = "rate-limited" | "failing";

export interface SourcePause {
  readonly why: SourcePauseReason;
  /** From the moment of the answer, by the clock that all replicas share. */
  readonly forMs: number;
}

/**
 * The pauses of one source. They bind all replicas. Each asks before a call, unless an answer of the last
 * second showed that all is calm. So a replica knows a pause of another within a second (`calmForMs`).
 *
 *   open ──429──► paused, this class of calls ──its reset──► open
 *   open ──failures in a row──► paused, all calls ──a while──► one call of one replica probes ─┬─ answered ──► open
 *                                     ▲                                                        │
 *                                     └────────── fails: twice as long, up to 20 s ────────────┘
 *
 * A long pause after a 429 is probed too: every five minutes one call of that class goes through. Any answer but 429
 * ends the pause, because a service that asks for an age may mean a moment, or may have recovered since.
 *
 * Guarantees: durations are counted by Redis TIME, so replicas with other clocks agree. Of two pauses the
 * longer counts. While a probe is under way, nobody else is let through, and nobody thinks it calm. A probe
 * that dies with its process ends with its lease. A loss of Redis forgets pauses, which costs one more 429 or
 * failure. Fails with `redis-unavailable`.
 */
export interface SourcePauseBook {
  /**
   * Asked right before a call. `calm`: it may go, and neither class of calls pauses or has failed lately.
   * `probe`: the call is one, after failures. `limit-probe`: the call is one, within a pause that a 429 asked
   * for. `leaseMs`: how long a probe keeps others away if it never reports its end.
   */
  ask(callClass: CallClass, leaseMs: number): Promise<SourcePause | "calm" | "go" | "probe" | "limit-probe">;
  /** Reports a 429. `ask` then answers a pause no longer than until its next probe. */
  limited(callClass: CallClass, forMs: number): Promise<void>;
  /** Reports a missing answer or a 5xx. Answers the pause, or null while failures are few. `jitter`: 0 to 1. */
  failed(jitter: number): Promise<SourcePause | null>;
  answered(): Promise<void>;
  /** Reports an answer other than 429 to a `limit-probe`. */
  lifted(callClass: CallClass): Promise<void>;
  /** The probe was not sent, or was stopped here. The next call that asks is the probe. */
  giveBack(callClass: CallClass): Promise<void>;
  /** Until when a 429 pauses each class, Unix ms of Redis TIME; 0: it does not. For people: changes nothing. */
  limits(): Promise<Readonly<Record<CallClass, number>>>;
}

/** Failures in a row before a source is paused: one worker's tries with a batch are four. */
export const failuresBeforePause = 5;
/** Failures further apart are not in a row: the earlier worker may have ended before the next answer. */
export const inARowWithinMs = 60_000;
export const firstPauseMs = 1_000;
/** A replica that found all calm asks again after this: before the shortest pause after failures ends. */
export const calmForMs = firstPauseMs;
/**
 * With all jitter. A pause, a probe that dies with its process (a timeout of 30 s and the slack below) and the next
 * sweep (15 s) are 70 s. That is less than a takeover and a sweep (75 s), the longest wait once the service answers.
 */
export const maxPauseMs = 20_000;
/** A probe's lease is the timeout of its call and this slack, in which its end is recorded. */
export const probeSlackMs = 5_000;
export const besideProbeMs = 1_000;

/** A pause after a 429 is probed this often: of a daily quota 288 more calls, and soon back otherwise. */
export const probeLimitEveryMs = 5 * 60_000;
