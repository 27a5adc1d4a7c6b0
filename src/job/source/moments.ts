import type { CallRate, CallShares } from "../contracts/call-shares.ts";
import { sleptFully, type Clock } from "../contracts/clock.ts";

/** Moments are taken for so long ahead: one round trip per replica in this time. */
const aheadMs = 200;
/** A moment that has passed by more than this share of its window may count in the next one. */
const lateShare = 1 / 8;
/** Up to this share of the limit, calls go without a moment: they cannot use it up. */
const freeShare = 0.5;

export interface MomentsParts {
  readonly shares: Pick<CallShares, "takeMoments">;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly ownShare: () => number;
  readonly waiting: () => number;
  /** A moment has come, or none is needed any more. */
  readonly onTurn: () => void;
  readonly signal: AbortSignal;
}

export type Moments = ReturnType<typeof createMoments>;

/**
 * When calls that list or delete may go, under a limit of calls per time. While all replicas need little of it,
 * each counts its own calls. Above that they take moments from one row. Without Redis each makes its own.
 */
export function createMoments({ shares, clock, ownShare, waiting, onTurn, signal }: MomentsParts) {
  let rate: CallRate | null = null;
  let isPaced = false;
  let moments: number[] = [];
  let isAsking = false;
  let timedFor = Infinity;
  let windowEndsAt = -Infinity;
  let usedInWindow = 0;

  const ask = async ({ calls, windowMs }: CallRate, count: number): Promise<void> => {
    isAsking = true;
    let given: readonly number[] | null;
    try {
      given = await shares.takeMoments(count);
    } catch {
      const everyMs = windowMs / (calls * ownShare());
      given = Array.from({ length: count }, (_, index) => (index + 1) * everyMs);
    }
    isAsking = false;
    const now = clock.monotonic();
    if (given === null) update(null, false);
    else moments.push(...given.map((inMs) => now + inMs));
    onTurn();
  };

  const wake = async (moment: number): Promise<void> => {
    if (!(await sleptFully(clock, Math.max(1, moment - clock.monotonic()), signal))) return;
    if (timedFor === moment) timedFor = Infinity;
    onTurn();
  };

  const update = (next: CallRate | null, paced: boolean): void => {
    rate = next;
    isPaced = next !== null && paced;
    if (!isPaced) moments = [];
  };

  return {
    update,
    perSecond: () => (rate === null || !isPaced ? null : (rate.calls * 1_000) / rate.windowMs),
    hasCome(): boolean {
      if (rate === null) return true;
      const now = clock.monotonic();
      if (isPaced) {
        const lateMs = rate.windowMs * lateShare;
        while (moments[0] !== undefined && moments[0] < now - lateMs) moments.shift();
        return moments[0] !== undefined && moments[0] <= now;
      }
      if (now >= windowEndsAt) {
        windowEndsAt = now + rate.windowMs;
        usedInWindow = 0;
      }
      isPaced = usedInWindow >= rate.calls * freeShare * ownShare();
      return !isPaced;
    },
    use(): void {
      if (isPaced) moments.shift();
      else usedInWindow += 1;
    },
    provide(): void {
      if (rate === null || !isPaced || waiting() === 0) return;
      const atOnce = Math.max(1, Math.floor((aheadMs * rate.calls * ownShare()) / rate.windowMs));
      const wanted = Math.min(waiting(), atOnce) - moments.length;
      if (!isAsking && moments.length <= atOnce / 2 && wanted > 0) void ask(rate, wanted);
      const [next] = moments;
      if (next === undefined || next >= timedFor) return;
      timedFor = next;
      void wake(next);
    },
  };
}
