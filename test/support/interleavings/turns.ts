import { setImmediate as microtasksDone } from "node:timers/promises";
import type * as fc from "fast-check";
import { startOfTime } from "../ledger-stands.ts";
import { createManualClock } from "../manual-clock.ts";
import type { Mishap, Operation, Plan } from "./plan.ts";

export type Turns = ReturnType<typeof createTurns>;

/**
 * Order and time of one run: who is next is fast-check's choice, and time passes where nobody can go on
 * without it.
 */
export function createTurns(scheduler: fc.Scheduler, { mishaps, jumps }: Plan) {
  const clock = createManualClock(startOfTime);
  const calls = new Map<Operation, number>();
  const jumpsLeft = [...jumps];
  let untilJump = jumpsLeft[0]?.afterTurns ?? 0;
  let calm = false;
  let struck = 0;
  let failure: { readonly error: unknown } | null = null;
  const pending = new Set<Promise<unknown>>();

  const allIdle = async (): Promise<void> => {
    await microtasksDone();
    while (pending.size > 0) {
      await Promise.allSettled(pending);
      await microtasksDone();
    }
  };

  /** Who waits for a turn is stopped for so long; who sleeps wakes in time. */
  const jump = async (): Promise<void> => {
    if (calm || jumpsLeft.length === 0) return;
    untilJump -= 1;
    if (untilJump > 0) return;
    const until = clock.now() + (jumpsLeft.shift()?.ms ?? 0);
    untilJump = jumpsLeft[0]?.afterTurns ?? 0;
    for (let at = clock.nextAt(); at !== null && at <= until; at = clock.nextAt()) {
      clock.advance(at - clock.now());
      await allIdle();
    }
    clock.advance(until - clock.now());
  };

  const next = (label: string): Promise<void> =>
    calm
      ? Promise.resolve()
      : scheduler.schedule(Promise.resolve(), `${(clock.now() - startOfTime) / 1_000}s ${label}`);

  /** Happens by itself, whoever waits for it or dies. */
  const background = (work: () => Promise<unknown>): void => {
    work().catch((error: unknown) => {
      failure ??= { error };
    });
  };

  return {
    clock,
    /** Waits for one's turn. */
    next,
    /** The same, but no later than this. */
    async nextWithin(ms: number, label: string): Promise<void> {
      const over = new AbortController();
      await Promise.race([next(label), clock.sleep(ms, over.signal).catch(() => undefined)]);
      over.abort("over");
    },
    /** What goes wrong with this call, if anything. */
    mishap(operation: Operation): Mishap | null {
      if (calm) return null;
      const nth = calls.get(operation) ?? 0;
      calls.set(operation, nth + 1);
      const planned = mishaps.find(
        (one) => one.operation === operation && nth >= one.nth && nth < one.nth + one.times,
      );
      if (planned === undefined) return null;
      struck += 1;
      return planned.mishap;
    },
    /** Something outside of this process: nobody else has a turn, and no time passes, before it is done. */
    async outside<Result>(work: Promise<Result>): Promise<Result> {
      pending.add(work);
      try {
        return await work;
      } finally {
        pending.delete(work);
      }
    },
    background,
    /** From now on everybody is served at once, and nothing goes wrong. */
    calmDown(): void {
      calm = true;
    },
    /** Gives turns until this is over; throws what it throws. */
    async run(work: Promise<unknown>): Promise<void> {
      let over = false;
      background(async () => {
        await work;
        over = true;
      });
      for (;;) {
        await allIdle();
        if (failure !== null) throw failure.error;
        if (over) return;
        if (scheduler.count() > 0) {
          await jump();
          await scheduler.waitOne();
          continue;
        }
        const nextAt = clock.nextAt();
        if (nextAt === null) throw new Error("the work waits for something that never comes");
        clock.advance(nextAt - clock.now());
      }
    },
    /** Mishaps that struck. */
    struck: () => struck,
  };
}
