import { describe, expect, test } from "vitest";
import { errorTable, RedriverError, type Disposition, type ErrorCode } from "../../src/ports/errors.ts";
import { toFailure } from "../../src/ports/errors.ts";
import { toJobEnd, type JobEnd } from "../../src/queue/job-end.ts";
import { toBackoffMs } from "../../src/queue/policy.ts";

const now = 1_000_000;
const codes = Object.keys(errorTable) as ErrorCode[];

const giveUp = { kind: "give-up" } as const;
const retry = { kind: "retry" } as const;
const handBack = { kind: "hand-back" } as const;
const wait = { kind: "wait", until: now + 30_000 } as const;

/** Running and stopping, for windows. */
const ends: Readonly<Record<Disposition, readonly [JobEnd, JobEnd]>> = {
  retry: [retry, handBack],
  wait: [wait, wait],
  skip: [giveUp, handBack],
  park: [giveUp, giveUp],
  reconcile: [giveUp, giveUp],
  halt: [giveUp, giveUp],
  crash: [giveUp, giveUp],
};

describe("a window's job whose handler threw", () => {
  test("stopped is handed back, whoever told it to stop", () => {
    const error = new RedriverError("stopped", "because");
    expect(toJobEnd(error, { queue: "windows", stopping: false, now })).toEqual(handBack);
  });

  test("a window of another document is left to others", () => {
    const error = new RedriverError("document-changed", "because");
    expect(toJobEnd(error, { queue: "windows", stopping: false, now })).toEqual({ kind: "leave" });
    expect(toJobEnd(error, { queue: "windows", stopping: true, now })).toEqual(handBack);
    expect(toJobEnd(error, { queue: "short", stopping: false, now })).toEqual(retry);
  });

  const byDisposition = codes.filter((code) => code !== "stopped" && code !== "document-changed");
  test.each(byDisposition)("%s ends by its disposition", (code) => {
    const error = new RedriverError(code, "because");
    const [running, stopping] = ends[errorTable[code].disposition];
    expect(toJobEnd(error, { queue: "windows", stopping: false, now })).toEqual(running);
    expect(toJobEnd(error, { queue: "windows", stopping: true, now })).toEqual(stopping);
  });

  test("something unexpected is tried again, and handed back while stopping", () => {
    expect(toJobEnd(new TypeError("x"), { queue: "windows", stopping: false, now })).toEqual(retry);
    expect(toJobEnd(new TypeError("x"), { queue: "windows", stopping: true, now })).toEqual(handBack);
  });

  test.each([
    ["at the time given", now + 5_000, now + 5_000],
    ["a little later when that has passed, so that nothing spins", now - 5_000, now + 250],
  ])("waits until %s", (_name, retryAt, until) => {
    const error = new RedriverError("rate-limited", "429", { retryAt });
    expect(toJobEnd(error, { queue: "windows", stopping: false, now })).toEqual({ kind: "wait", until });
  });
});

test("a scheduled job never waits in Redis: its next schedule is the retry", () => {
  const error = new RedriverError("rate-limited", "429", { retryAt: now + 5_000 });
  expect(toJobEnd(error, { queue: "short", stopping: false, now })).toEqual(giveUp);
});

describe("what is told of an error", () => {
  test("is a RedriverError's code and message", () => {
    const error = new RedriverError("service-timeout", "no answer within 10 s");
    expect(toFailure(error)).toEqual({ code: "service-timeout", message: "no answer within 10 s" });
  });

  test("is name and place of any other, never its message", () => {
    const { code, message } = toFailure(new TypeError("somebody's body"));
    expect(code).toBe("unexpected");
    expect(message).toMatch(/^TypeError at .*queue-job-end\.test\.ts:\d+/);
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
});
