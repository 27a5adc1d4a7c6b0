import { DelayedError, UnrecoverableError, WaitingError, type Job as StoredJob } from "bullmq";
import { describe, expect, test } from "vitest";
import { RedriverError, type ErrorCode } from "../../../../src/job/contracts/errors.ts";
import { createProcessor } from "../../../../src/job/queue/processor.ts";
import { createRunningJobs } from "../../../../src/job/queue/shutdown.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { recordEvents } from "../../../support/queue-redis.ts";
import { waitFor } from "../../../support/wait-for.ts";

const retry = { attempts: 3, baseMs: 5_000, capMs: 30_000 };

/**
 * A processor of windows whose handler fails with these, one after the other. `refusals`: what the first
 * moves fail with. `beforeGivenUpFails`: the same of what is done before the job is given up.
 */
function stand(
  codes: readonly ErrorCode[],
  refusals: readonly Error[] = [],
  beforeGivenUpFails: readonly ErrorCode[] = [],
) {
  const clock = createManualClock();
  const events = recordEvents();
  const errors: Error[] = [];
  const moves: (readonly [string, number?])[] = [];
  const left = [...codes];
  const beforeFailed = [...beforeGivenUpFails];
  const given: string[] = [];
  const stalled: boolean[] = [];
  const refused = [...refusals];
  const running = createRunningJobs();
  const process = createProcessor({
    queue: "windows",
    handle: (_, { hasStalled }) => {
      stalled.push(hasStalled === true);
      return Promise.reject(new RedriverError(left.shift() ?? "stopped", "because"));
    },
    beforeGivenUp: () => {
      given.push("window");
      const failure = beforeFailed.shift();
      return failure === undefined
        ? Promise.resolve()
        : Promise.reject(new RedriverError(failure, "because"));
    },
    running,
    clock,
    events,
    retry,
    onError: (error) => void errors.push(error),
    progress: () => undefined,
    pause: () => undefined,
  });
  const move = (name: string, at?: number): Promise<void> => {
    moves.push(at === undefined ? [name] : [name, at - clock.now()]);
    const refusal = refused.shift();
    return refusal === undefined ? Promise.resolve() : Promise.reject(refusal);
  };
  const stored = {
    id: "window/p/w1",
    data: { kind: "window", drain: "orders", passId: "p", windowId: "w1" },
    opts: { attempts: retry.attempts },
    attemptsMade: 2,
    stalledCounter: 0,
    moveToWait: () => move("wait"),
    moveToDelayed: (at: number) => move("delayed", at),
  } as unknown as StoredJob<unknown>;
  const run = (): Promise<unknown> => process(stored, "token", undefined).catch((error: unknown) => error);
  return { clock, events, errors, moves, running, given, stalled, stored, run };
}

test("a window that Redis failed is told of once a minute, however many there are", async () => {
  const { clock, events, run } = stand(Array<ErrorCode>(6).fill("redis-unavailable"));
  for (let times = 0; times < 5; times += 1) await run();
  const told = { code: "redis-unavailable", givenUp: false };
  expect(events.of("job:failed")).toMatchObject([told]);
  clock.advance(60_000);
  await run();
  expect(events.of("job:failed")).toMatchObject([told, told]);
});

describe("a window that cannot be moved", () => {
  const readOnly = new Error("READONLY You can't write against a read only replica.");
  const lostLock = new Error("Missing lock for job window/p/w1. moveToDelayed");

  test.each([
    ["redis-unavailable", DelayedError],
    ["rate-limited", DelayedError],
    ["document-changed", DelayedError],
    ["stopped", WaitingError],
  ] as const)(
    "after %s is moved as soon as Redis takes writes, and the refusal is told",
    async (code, end) => {
      const { clock, errors, moves, run } = stand([code], [readOnly, readOnly]);
      const ended = run();
      for (const tries of [1, 2]) {
        await waitFor(() => expect(clock.pending()).toBe(1));
        expect(moves.length).toBe(tries);
        clock.advance(1_000);
      }
      expect(await ended).toBeInstanceOf(end);
      expect(moves.length).toBe(3);
      expect(errors).toEqual([readOnly, readOnly]);
    },
  );

  test("because another replica has it is left to that one", async () => {
    const { clock, errors, moves, run } = stand(["redis-unavailable"], [lostLock]);
    // What the library takes for a move that was made: it does nothing more to the job.
    expect(await run()).toBeInstanceOf(WaitingError);
    expect(moves.length).toBe(1);
    expect(errors).toEqual([lostLock]);
    expect(clock.pending()).toBe(0);
  });

  test("by a process that stops is left to the look for stalled jobs", async () => {
    const { clock, moves, running, run } = stand(["redis-unavailable"], [readOnly, readOnly, readOnly]);
    const ended = run();
    await waitFor(() => expect(clock.pending()).toBe(1));
    running.abortAll(new RedriverError("stopped", "shut down"));
    clock.advance(1_000);
    expect(await ended).toBeInstanceOf(WaitingError);
    expect(moves.length).toBe(2);
  });
});

describe("a window that is given up", () => {
  test("is told of first, so that its pass does not wait for it", async () => {
    const { events, given, run } = stand(["invariant-broken"]);
    expect(await run()).toBeInstanceOf(UnrecoverableError);
    expect(given).toEqual(["window"]);
    expect(events.of("job:failed")).toMatchObject([{ code: "invariant-broken", givenUp: true }]);
  });

  test("is told of when its tries are spent, and not before", async () => {
    const { given, run, stored } = stand(["service-unavailable", "service-unavailable"]);
    stored.attemptsMade = 0;
    expect(await run()).not.toBeInstanceOf(UnrecoverableError);
    expect(given).toEqual([]);
    stored.attemptsMade = 2;
    expect(await run()).toBeInstanceOf(UnrecoverableError);
    expect(given).toEqual(["window"]);
  });

  test("waits if Redis could not be told, and is given up if nothing else helps", async () => {
    const { moves, run } = stand(
      ["invariant-broken", "invariant-broken"],
      [],
      ["redis-unavailable", "invariant-broken"],
    );
    expect(await run()).toBeInstanceOf(DelayedError);
    expect(moves).toEqual([["delayed", 3_750]]);
    expect(await run()).toBeInstanceOf(UnrecoverableError);
  });
});

test("a window is worked however many of its workers were lost, and told that one was", async () => {
  const { given, run, stalled, stored } = stand(["rate-limited", "rate-limited"]);
  await run();
  stored.stalledCounter = 1_000;
  expect(await run()).toBeInstanceOf(DelayedError);
  expect(given).toEqual([]);
  expect(stalled).toEqual([false, true]);
});
