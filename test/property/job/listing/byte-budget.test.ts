import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createByteBudget, type Lease } from "../../../../src/job/listing/byte-budget.ts";

const total = 100;

/** What workers do, one step after the other: ask, shrink or release what they have, or give up waiting. */
const step = fc.oneof(
  fc.record({ do: fc.constant("ask" as const), bytes: fc.integer({ min: 1, max: 150 }) }),
  fc.record({ do: fc.constant("try" as const), bytes: fc.integer({ min: 1, max: 150 }) }),
  fc.record({ do: fc.constant("shrink" as const), which: fc.nat(), bytes: fc.integer({ min: 0, max: 150 }) }),
  fc.record({ do: fc.constant("release" as const), which: fc.nat() }),
  fc.record({ do: fc.constant("stop" as const), which: fc.nat() }),
);

test("the budget is never exceeded but by one lease alone, and everybody who waits is served in turn", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const budget = createByteBudget(total);
      const held: Lease[] = [];
      const waiting = new Map<number, AbortController>();
      const served: number[] = [];
      const overtaken: Lease[] = [];
      const sizes = new Map<number, number>();
      let asked = 0;
      const isRight = (): void => {
        const used = held.reduce((sum, { bytes }) => sum + bytes, 0);
        expect(budget.used()).toBe(used);
        const largest = Math.max(0, ...held.map(({ bytes }) => bytes));
        expect(used <= total || used - largest <= total / 2).toBe(true);
      };
      const ask = (bytes: number): Promise<void> => {
        const mine = (asked += 1);
        sizes.set(mine, bytes);
        const stop = new AbortController();
        waiting.set(mine, stop);
        return (async () => {
          try {
            held.push(await budget.acquire(bytes, stop.signal));
            served.push(mine);
          } catch {
            // It was stopped.
          } finally {
            waiting.delete(mine);
          }
        })();
      };
      const asking: Promise<void>[] = [];
      for (const one of steps) {
        if (one.do === "ask") asking.push(ask(one.bytes));
        else if (one.do === "try") {
          const mayBeServed = [...waiting.keys()].every((mine) => (sizes.get(mine) ?? 0) > total);
          const lease = budget.tryAcquire(one.bytes);
          if (lease !== null) held.push(lease);
          if (lease !== null && !mayBeServed) overtaken.push(lease);
        } else if (one.do === "stop") [...waiting.values()][one.which % waiting.size]?.abort();
        else {
          const lease = held[one.which % held.length];
          if (one.do === "shrink") lease?.shrink(one.bytes);
          else lease?.release();
        }
        await settled();
        isRight();
      }
      // Who has something gives it back at last, and nobody is left waiting.
      while (held.some(({ bytes }) => bytes > 0)) {
        for (const lease of held) lease.release();
        await settled();
        isRight();
      }
      await Promise.all(asking);
      expect(waiting.size).toBe(0);
      // What asks for more than there is may be passed.
      const inTurn = served.filter((mine) => (sizes.get(mine) ?? 0) <= total);
      expect(inTurn).toEqual(inTurn.toSorted((one, other) => one - other));
      expect(overtaken).toEqual([]);
      expect(budget.used()).toBe(0);
    }),
  );
});

test("what asks for more than there is is passed by 64 others, and then waits for an end of those that are served", async () => {
  const never = new AbortController().signal;
  const budget = createByteBudget(total);
  const first = await budget.acquire(60, never);
  const large = budget.acquire(1_000, never);
  for (let other = 0; other < 64; other += 1) (await budget.acquire(10, never)).release();
  expect(budget.tryAcquire(10)).toBeNull();
  first.release();
  expect((await large).bytes).toBe(1_000);
});

/** All that promises have to say to each other. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await Promise.resolve();
}
