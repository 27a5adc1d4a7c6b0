import { describe, expect, test } from "vitest";
import { RedriverError, type ErrorCode } from "../../../../src/job/contracts/errors.ts";
import { createPageSize, listWithRetry } from "../../../../src/job/listing/list-page.ts";
import { amplePageMemory } from "../../../support/ample-memory.ts";
import { createRetryBudget, type RetryBudget } from "../../../../src/job/source/retry-budget.ts";
import type { SourceRuntime } from "../../../../src/job/runtime.ts";

const burst = 20;
const answersPerTry = 5;

const times = (count: number, what: () => unknown): void => {
  for (let n = 0; n < count; n += 1) what();
};

/** Takes all that is left and answers how many that was. */
function empty(budget: RetryBudget): number {
  let taken = 0;
  while (budget.take()) taken += 1;
  return taken;
}

test("a budget of tries has a burst, earns one try for every five answers, to the very answer, and is never more than whole", () => {
  const budget = createRetryBudget();
  expect(empty(budget)).toBe(burst);
  expect(empty(budget)).toBe(0);
  times(burst * answersPerTry - 1, () => budget.earn());
  expect(empty(budget)).toBe(burst - 1);
  budget.earn();
  expect(empty(budget)).toBe(1);
  times(10_000, () => budget.earn());
  expect(empty(budget)).toBe(burst);
});

/**
 * Of a source, what a patient listing needs: a service that fails with this, and sleeps that are counted and
 * not slept.
 */
function createSource(code: ErrorCode, budget: RetryBudget) {
  const slept: number[] = [];
  let calls = 0;
  const source = {
    clock: { now: () => 0, random: () => 0.5, sleep: (ms: number) => Promise.resolve(void slept.push(ms)) },
    readAt: () => Promise.resolve(0),
    memory: amplePageMemory(),
    health: { check: () => undefined, note: () => undefined, takeRetry: () => budget.take() },
    service: {
      list: () => {
        calls += 1;
        return Promise.reject(new RedriverError(code, "no"));
      },
    },
  } as unknown as SourceRuntime;
  const never = new AbortController().signal;
  const list = () =>
    listWithRetry(source, { select: {} }, createPageSize(), { signal: never, stopping: never });
  return { list, slept, calls: () => calls };
}

describe("a listing that fails", () => {
  test("is tried three times more, ever later and with jitter, and takes a try of the budget for each", async () => {
    const budget = createRetryBudget();
    const { list, slept, calls } = createSource("service-unavailable", budget);
    await expect(list()).rejects.toMatchObject({ code: "service-unavailable" });
    expect(slept).toEqual([750, 2_250, 8_250]);
    expect(calls()).toBe(4);
    expect(empty(budget)).toBe(burst - 3);
  });

  test("is not tried again once the budget is spent, however many listings there are", async () => {
    const { list, calls } = createSource("service-timeout", createRetryBudget());
    for (let n = 0; n < 100; n += 1) {
      await expect(list()).rejects.toMatchObject({ code: "service-timeout" });
    }
    expect(calls()).toBe(100 + burst);
  });

  test("for a reason that another try would not change takes none", async () => {
    const budget = createRetryBudget();
    const { list, calls } = createSource("answer-unreadable", budget);
    await expect(list()).rejects.toMatchObject({ code: "answer-unreadable" });
    expect(calls()).toBe(1);
    expect(empty(budget)).toBe(burst);
  });
});
