import { describe, expect, test } from "vitest";
import {
  errorTable,
  RedriverError,
  type Disposition,
  type ErrorCode,
} from "../../../../src/job/contracts/errors.ts";
import { toFailure } from "../../../../src/job/contracts/errors.ts";
import { toJobEnd, type JobEnd } from "../../../../src/job/queue/failed-job-end.ts";
import { defaultRetry, toBackoffMs } from "../../../../src/job/queue/policy.ts";

const now = 1_000_000;
const redisWaitMs = 4_000;
const running = { queue: "windows", stopping: false, now, redisWaitMs } as const;
const stopped = { ...running, stopping: true } as const;
const scheduled = { ...running, queue: "short" } as const;
const codes = Object.keys(errorTable) as ErrorCode[];

const giveUp = { kind: "give-up" } as const;
const retry = { kind: "retry" } as const;
const handBack = { kind: "hand-back" } as const;
const wait = { kind: "wait", until: now + 30_000 } as const;

/** Of windows, while it runs and while it is stopped; of scheduled jobs, whose next schedule is the retry. */
type Ends = readonly [JobEnd, JobEnd, JobEnd];
const ends: Readonly<Record<Disposition, Ends>> = {
  retry: [retry, handBack, retry],
  wait: [wait, wait, giveUp],
  skip: [giveUp, handBack, giveUp],
  park: [giveUp, giveUp, giveUp],
  halt: [giveUp, giveUp, giveUp],
  crash: [giveUp, giveUp, giveUp],
};
const endsOfTheirOwn: Readonly<Partial<Record<ErrorCode, Ends>>> = {
  // Whoever told it to stop.
  stopped: [handBack, handBack, handBack],
  // Others work it.
  "document-changed": [{ kind: "leave" }, handBack, retry],
  // It comes back soon, whatever failed it before, and spends no try.
  "redis-unavailable": [{ kind: "wait", until: now + redisWaitMs }, handBack, retry],
};

describe("a job whose handler threw", () => {
  test.each(codes)("%s ends by its disposition, or as only it does", (code) => {
    const error = new RedriverError(code, "because");
    expect([running, stopped, scheduled].map((at) => toJobEnd(error, at))).toEqual(
      endsOfTheirOwn[code] ?? ends[errorTable[code].disposition],
    );
  });

  test("something unexpected is tried again, and handed back while stopping", () => {
    expect(toJobEnd(new TypeError("x"), running)).toEqual(retry);
    expect(toJobEnd(new TypeError("x"), stopped)).toEqual(handBack);
  });

  test.each([
    ["at the time given", now + 5_000, now + 5_000],
    ["a little later when that has passed, so that nothing spins", now - 5_000, now + 250],
  ])("waits until %s", (_name, retryAt, until) => {
    const error = new RedriverError("rate-limited", "429", { retryAt });
    expect(toJobEnd(error, running)).toEqual({ kind: "wait", until });
  });
});

describe("what is told of an error", () => {
  test("is name and place of any other, never its message", () => {
    const { code, message } = toFailure(new TypeError("somebody's body"));
    expect(code).toBe("unexpected");
    expect(message).toMatch(/^TypeError at .*job-end\.test\.ts:\d+/);
    expect(message).not.toContain("somebody");
    expect(toFailure("somebody's body").message).toBe("a thrown string");
  });

  test("holds no line of a message that looks like a place", () => {
    const error = new Error("line one\n    at somebody's body");
    expect(toFailure(error).message).not.toContain("somebody");
  });
});

describe("the backoff", () => {
  const policy = { attempts: 6, baseMs: 5_000, capMs: 30_000 };
  test("doubles up to its cap and takes off up to half", () => {
    expect([1, 2, 3, 4, 20].map((made) => toBackoffMs(made, policy, 0))).toEqual([
      2_500, 5_000, 10_000, 15_000, 15_000,
    ]);
    expect([1, 2, 3, 4].map((made) => toBackoffMs(made, policy, 0.999_999))).toEqual([
      5_000, 10_000, 20_000, 30_000,
    ]);
  });

  test("outlasts an outage of a minute, and is over half a minute after any", () => {
    const least = Array.from({ length: defaultRetry.attempts - 1 }, (_, index) =>
      toBackoffMs(index + 1, defaultRetry, 0),
    );
    expect(least.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(60_000);
    expect(toBackoffMs(defaultRetry.attempts, defaultRetry, 0.999_999)).toBeLessThanOrEqual(30_000);
  });
});
