/**
 * What the service limits apart, so that it rests apart: listing and deleting dead letters, and publishing batches
 * (remote-contract.md: the endpoints of the DLQ have a limit per second, the batch has a daily quota).
 */
export const callClasses = ["dlq", "batch"] as const;
export type CallClass = (typeof callClasses)[number];

/** `rate-limited`: a 429 said until when. `failing`: the source did not answer several times in a row. */
export type RestReason = "rate-limited" | "failing";

export interface Rest {
  readonly why: RestReason;
  /** From the moment of the answer, by the clock that all replicas share. */
  readonly forMs: number;
}

/**
 * When one source is left alone: by all replicas, which learn of it before each call.
 *
 *   open ──429──► resting, this class of calls ──its reset──► open
 *   open ──several failures in a row──► resting, all calls ──a while──► one call of one replica probes ─┬─ answered ──► open
 *                                          ▲                                                            │
 *                                          └──────────── fails: twice as long, up to 20 s ──────────────┘
 *
 * A rest of a 429 that is long is probed too: every five minutes one call of that class goes through. Answered otherwise than with 429 it ends
 * the rest, because a service that asks for an age may mean a moment, or may have recovered since.
 *
 * Guarantees: durations are counted by Redis TIME, so replicas with other clocks agree; of two rests the longer stands; while a
 * probe is under way nobody else is let through; one that dies with its process is over when its lease is. A loss of Redis
 * forgets rests, which costs one more 429 or failure.
 * Fails with `redis-unavailable`.
 */
export interface RestBook {
  /**
   * Asked right before a call. `leaseMs`: how long others are kept away where it is a probe and never says how it ended. `probe`: after
   * failures; `limit-probe`: in the middle of a rest that a 429 asked for.
   */
  ask(callClass: CallClass, leaseMs: number): Promise<Rest | "go" | "probe" | "limit-probe">;
  /** A 429. A rest that is asked about lasts no longer than until its next probe. */
  limited(callClass: CallClass, forMs: number): Promise<void>;
  /** A call was not answered, or with 5xx. Answers the rest that follows; null while there are few. `jitter`: 0 up to 1. */
  failed(jitter: number): Promise<Rest | null>;
  /** A call was answered, whatever it said. */
  answered(): Promise<void>;
  /** The probe of a rate limit was answered, and not with 429. */
  lifted(callClass: CallClass): Promise<void>;
  /** The probe was not sent, or was stopped here: it says nothing, and the next call that asks is the probe. */
  giveBack(callClass: CallClass): Promise<void>;
}

/** Failures in a row before a source is left alone: one worker's tries with a batch are four. */
export const failuresBeforeRest = 5;
/** Failures further apart are not in a row: who met the earlier ones may have ended before the next answer. */
export const inARowWithinMs = 60_000;
export const firstRestMs = 1_000;
/**
 * With all jitter. A rest, a probe that dies with its process (a timeout of 30 s and the slack below) and the next sweep (15 s) are
 * 70 s, less than the takeover and a sweep (75 s) that anything may wait once the service answers.
 */
export const maxPauseMs = 20_000;
/** A probe's lease is the timeout of its call and this, in which its end is written. */
export const probeSlackMs = 5_000;
/** How long those wait that are not the probe, before they ask again. */
export const besideProbeMs = 1_000;

/**
 * A rest that a 429 asked for is probed this often. A daily quota then costs 288 calls more at most, none of which is accepted, and
 * a source that has recovered is back within it.
 */
export const probeLimitEveryMs = 5 * 60_000;

/** What the n-th failure in a row (from 1) is answered with, ms: 1, 2, 4 … plus up to a quarter, in all at most 20 s. 0: no rest yet. */
export function restAfterFailuresMs(failures: number, jitter: number): number {
  if (failures < failuresBeforeRest) return 0;
  const restMs = firstRestMs * 2 ** (failures - failuresBeforeRest) * (1 + jitter / 4);
  return Math.round(Math.min(restMs, maxPauseMs));
}
