import { describe, expect, it } from "vitest";
import { createLoops } from "../../../../src/job/daemon/loops.ts";
import type { RedriverEvent } from "../../../../src/job/contracts/events.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";

/** Loops on a clock that ends each sleep by itself, `lateMs` after it was due. */
function createStand({ startsAt = 0, lateMs = 0 } = {}) {
  const stop = new AbortController();
  const events: RedriverEvent[] = [];
  let now = startsAt;
  const turnsAt: number[] = [];
  const keepGoing = createLoops({
    clock: {
      monotonic: () => now,
      sleep: (ms) => {
        now += ms + lateMs;
        return Promise.resolve();
      },
    },
    events: { emit: (event) => void events.push(event) },
    stop: stop.signal,
  });
  /** When each turn began. `turn` is given its number, and answers ms until the next. */
  const run = async (turns: number, turn: (n: number) => number): Promise<readonly number[]> => {
    await keepGoing(() => {
      turnsAt.push(now);
      if (turnsAt.length === turns) stop.abort();
      return Promise.resolve(turn(turnsAt.length));
    });
    return turnsAt;
  };
  return { run, events };
}

describe("the loops of a daemon", () => {
  it("wait to a whole second, so that they wake together", async () => {
    expect(await createStand({ startsAt: 123 }).run(4, () => 2_000)).toEqual([123, 2_000, 4_000, 6_000]);
    expect(await createStand({ startsAt: 3_456 }).run(3, () => 5_000)).toEqual([3_456, 8_000, 13_000]);
  });

  it("keep waits below a second as they are", async () => {
    expect(await createStand({ startsAt: 123 }).run(3, () => 250)).toEqual([123, 373, 623]);
  });

  it("report a turn that failed, and try again after five seconds", async () => {
    const { run, events } = createStand();
    const turnsAt = await run(2, (n) => {
      if (n === 1) throw new RedriverError("redis-unavailable", "no answer");
      return 1_000;
    });
    expect(turnsAt).toEqual([0, 5_000]);
    expect(events).toEqual([
      { type: "job:failed", kind: "daemon", code: "redis-unavailable", message: "no answer", givenUp: false },
    ]);
  });
});
