/** Bounds of the ledger in time and in number, and the arithmetic for everything that reads an entry. */
export interface LedgerLimits {
  /** W: how long the service remembers a deduplication id. */
  readonly dedupWindowMs: number;
  /** S: the last byte of a POST leaves within this time of its begin. */
  readonly sendByMs: number;
  /** T: how long a POST may wait for its answer. */
  readonly batchTimeoutMs: number;
  /** X: the network delay bound. */
  readonly networkDelayMs: number;
  /** A page older than this may not begin anything. Below every tombstone's life. */
  readonly maxPageAgeMs: number;
  readonly retentionMs: number;
  /** How long a tombstone is kept: above maxPageAge and above two full-pass intervals. */
  readonly tombstoneMs: number;
  /** Settle gate: no first POST is begun while the oldest published-not-deleted is older than this … */
  readonly settleGateAgeMs: number;
  /** … or more than this many have had a failed DELETE. */
  readonly settleGateFailedDeletes: number;
}

/** When any worker may continue the open entry of another one: S + T + 15 s after its last POST began. */
export function takeoverAfterMs(limits: LedgerLimits): number {
  return limits.sendByMs + limits.batchTimeoutMs + 15_000;
}

/** A lane's grant is begun within this, or held: 1 min by default. No page waits longer for a rate. */
export function grantedForMs({ maxPageAgeMs }: LedgerLimits): number {
  return Math.min(maxPageAgeMs, Math.max(maxPageAgeMs / 5, 5_000));
}

/** No grant is published later: within takeoverAfter of its begin its POST has ended and is recorded. */
export function grantLifeMs(limits: LedgerLimits): number {
  return grantedForMs(limits) + takeoverAfterMs(limits);
}

/**
 * No POST of one id begins later than firstAt + this: W − S − X − 45 s. Settings that make it ≤ takeoverAfter
 * are refused at load.
 */
export function postHorizonMs(limits: LedgerLimits): number {
  return limits.dedupWindowMs - limits.sendByMs - limits.networkDelayMs - 45_000;
}

/** Refusals of one record alone count at most this often, so that three of them span twenty minutes. */
export const refusedAloneEveryMs = 600_000;

/** A cool entry outlives the window by an hour. Afterwards no deduplication id of it can be hit. */
export const coolBeyondWindowMs = 3_600_000;
