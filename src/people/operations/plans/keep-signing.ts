import type { Clock } from "../../../job/contracts/clock.ts";
import { isRedisAway, RedriverError } from "../../../job/contracts/errors.ts";
import {
  planDeadAfterMs,
  planSignEveryMs,
  type PlanApplyDrain,
  type PlanBook,
  type PlanClaim,
  type PlanMaking,
} from "../../../job/contracts/plans.ts";

/** Records progress once a second, and learns if it is to stop. While Redis is away the work goes on. */
export function keepSigning(
  book: PlanBook,
  clock: Pick<Clock, "sleep">,
  claim: PlanClaim,
  progress: () => PlanMaking | readonly PlanApplyDrain[],
) {
  const stopped = new AbortController();
  const ended = new AbortController();
  const sign = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(planSignEveryMs, ended.signal);
      // Also of a Redis that is full: the work meets that itself.
      const answer = await book.sign(claim, progress()).catch(() => null);
      if (answer === null || stopped.signal.aborted) continue;
      if (answer.kind === "lost") stopped.abort(toStopped("another replica has taken it over"));
      else if (answer.stoppedBy !== null) stopped.abort(toStopped(`by ${answer.stoppedBy}`));
    }
  };
  // Its end rejects its sleep.
  const signing = sign().catch(() => undefined);
  return {
    /** Aborts with the reason, once it is to end at the end of a page or batch. */
    signal: stopped.signal,
    /** Records how it ended. Tries again while Redis is away, until others count this replica as dead. */
    async end(state: "applied" | "interrupted" | "failed", why: string | null): Promise<void> {
      ended.abort();
      await signing;
      for (let waitedMs = 0; ; waitedMs += planSignEveryMs) {
        try {
          await book.end(claim, state, why, progress());
          return;
        } catch (error) {
          if (!isRedisAway(error) || waitedMs >= planDeadAfterMs) return;
          await clock.sleep(planSignEveryMs);
        }
      }
    },
    /** Ends without a record, of a plan that has been completed or is given back. */
    async close(): Promise<void> {
      ended.abort();
      await signing;
    },
  };
}

export function toStopped(why: string): RedriverError {
  return new RedriverError("stopped", `stopped ${why}`);
}

export function toWhyStopped(stopping: AbortSignal): string {
  const { reason } = stopping as { readonly reason: unknown };
  return reason instanceof RedriverError ? reason.message : "stopped: its replica is shut down";
}
