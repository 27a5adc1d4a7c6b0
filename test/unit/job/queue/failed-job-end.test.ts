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

/** While it runs and while it is stopped, for windows. */
const ends: Readonly<Record<Disposition, readonly [JobEnd, JobEnd]>> = {
  retry: [retry, handBack],
  wait: [wait, wait],
  skip: [giveUp, handBack],
  park: [giveUp, giveUp],
  halt: [giveUp, giveUp],
  crash: [giveUp, giveUp],
};

describe("a window's job whose handler threw", () => {
  test("stopped is handed back, whoever told it to stop", () => {
    const error = new RedriverError("stopped", "because");
    expect(toJobEnd(error, running)).toEqual(handBack);
  });

  test("a window of another document is left to others", () => {
    const error = new RedriverError("document-changed", "because");
    expect(toJobEnd(error, running)).toEqual({ kind: "leave" });
    expect(toJobEnd(error, stopped)).toEqual(handBack);
    expect(toJobEnd(error, scheduled)).toEqual(retry);
  });

  test("a window that Redis failed comes back soon, whatever failed it before, and spends no try", () => {
    const error = new RedriverError("redis-unavailable", "because");
    expect(toJobEnd(error, running)).toEqual({ kind: "wait", until: now + redisWaitMs });
    expect(toJobEnd(error, stopped)).toEqual(handBack);
    expect(toJobEnd(error, scheduled)).toEqual(retry);
  });

  const ofTheirOwn = new Set<ErrorCode>(["stopped", "document-changed", "redis-unavailable"]);
  const byDisposition = codes.filter((code) => !ofTheirOwn.has(code));
  test.each(byDisposition)("%s ends by its disposition", (code) => {
    const error = new RedriverError(code, "because");
    const [whileRunning, whileStopped] = ends[errorTable[code].disposition];
    expect(toJobEnd(error, running)).toEqual(whileRunning);
    expect(toJobEnd(error, stopped)).toEqual(whileStopped);
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

test("a scheduled job never waits in Redis: its next schedule is the retry", () => {
  const error = new RedriverError("rate-limited", "429", { retryAt: now + 5_000 });
  expect(toJobEnd(error, scheduled)).toEqual(giveUp);
});

describe("what is told of an error", () => {
  test("is a RedriverError's code and message", () => {
    const error = new RedriverError("service-timeout", "no answer within 10 s");
    expect(toFailure(error)).toEqual({ code: "service-timeout", message: "no answer within 10 s" });
  });

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
