import { describe, expect, it, onTestFinished } from "vitest";
import type { CallRate } from "../../../../src/job/contracts/call-shares.ts";
import type { EventOf, RequestOutcome, ServiceOperation } from "../../../../src/job/contracts/events.ts";
import { createCallsInTurn } from "../../../../src/job/source/calls-in-turn.ts";
import { source } from "../../../support/ledger-stands.ts";
import { createManualClock } from "../../../support/manual-clock.ts";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The only replica of a source; `asked` counts what it asked of Redis. */
function createStand(maxInFlight = 64) {
  const clock = createManualClock();
  const asked = { exchanges: 0, moments: 0 };
  const state: { rate: CallRate | null } = { rate: null };
  const shown: EventOf<"source:calls">[] = [];
  const turns = createCallsInTurn({
    source,
    maxInFlight,
    clock,
    events: { emit: (event) => void (event.type === "source:calls" && shown.push(event)) },
    shares: {
      async exchange({ limits }) {
        asked.exchanges += 1;
        return { part: maxInFlight, ofAll: 1, limits, rate: state.rate, isPaced: false };
      },
      async takeMoments(count) {
        asked.moments += 1;
        return Array.from({ length: count }, (_, index) => 50 * (index + 1));
      },
    },
  });
  onTestFinished(turns.close);
  /** One call after the other, so often in a second. */
  const call = async (times: number, perSecond: number): Promise<void> => {
    for (let done = 0; done < times; done += 1) {
      (await turns.take("list"))();
      clock.advance(1_000 / perSecond);
    }
  };
  const ended = async (outcome: RequestOutcome): Promise<number | undefined> => {
    for (let one = 0; one < 30; one += 1) turns.answered({ operation: "list", outcome, durationMs: 10 });
    await call(4, 1);
    return shown.at(-1)?.limits.list;
  };
  return { turns, clock, asked, state, call, ended };
}

describe("one replica's calls in flight", () => {
  it("go alone at once, and nothing asks Redis for them while they come one by one", async () => {
    const { asked, call } = createStand();
    await call(3, 1_000);
    expect(asked).toEqual({ exchanges: 0, moments: 0 });
  });

  it("are fewer after calls that failed, and not after some that were turned away", async () => {
    expect(await createStand().ended("rate-limited")).toBe(4);
    expect(await createStand().ended("unavailable")).toBeLessThan(4);
  });

  it("that wait go on to their end when they are stopped, and take no place", async () => {
    const { turns } = createStand(1);
    const end = await turns.take("list");
    const stop = new AbortController();
    const waiting = turns.take("list", stop.signal);
    stop.abort();
    (await waiting)();
    end();
    await expect(turns.take("list")).resolves.toBeTypeOf("function");
  });

  it("are deletes and batches before lists, and now and then a list", async () => {
    const { turns } = createStand(1);
    const end = await turns.take("list");
    const order: ServiceOperation[] = [];
    const call = async (operation: ServiceOperation): Promise<void> => {
      const endTurn = await turns.take(operation);
      order.push(operation);
      endTurn();
    };
    for (const operation of ["list", "delete", "batch"] as const) {
      for (let count = 0; count < 20; count += 1) void call(operation);
    }
    end();
    await settle();
    expect(order).toHaveLength(60);
    expect(order.slice(0, 32).filter((operation) => operation === "list")).toHaveLength(4);
  });
});

describe("moments of a limit", () => {
  it("are not asked for while little of it is needed", async () => {
    const { turns, asked, state, call } = createStand();
    state.rate = { calls: 1_000, windowMs: 1_000 };
    await call(60, 40);
    expect(asked.moments).toBe(0);
    state.rate = { calls: 20, windowMs: 1_000 };
    await call(4, 2);
    for (let count = 0; count < 15; count += 1) void turns.take("list").then((end) => end());
    await settle();
    expect(asked.moments).toBeGreaterThan(0);
  });

  it("are asked for at once after a 429, which others learn of before their next report", async () => {
    const { turns, asked, call } = createStand();
    await call(4, 1_000);
    await settle();
    const before = asked.exchanges;
    turns.limited({ calls: 20, windowMs: 1_000, resetInMs: 500, isUsedUp: true });
    void turns.take("list");
    await settle();
    expect(asked).toEqual({ exchanges: before + 1, moments: 1 });
  });
});
