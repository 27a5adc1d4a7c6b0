import { describe, expect, it } from "vitest";
import { explainDecision } from "../../../../src/job/rules/explain-decision.ts";
import { whenDue } from "../../../../src/job/rules/when-due.ts";
import { enteredAt, factsOf } from "../../../support/letters.ts";

const minute = 60_000;
const day = 86_400_000;

const dueAt = (ageMs: number, minAgeMs: number, waitMs: number[], attempt = 0, responseHeader = {}) =>
  whenDue(factsOf({ responseHeader }, { now: enteredAt + ageMs, attempt }), { minAgeMs, waitMs });

const not = (reason: string, until: number) => ({ due: false, reason, until });

describe("a record is due", () => {
  it("from the moment its age reaches minAge", () => {
    expect(dueAt(2 * minute, 2 * minute, [])).toEqual({ due: true });
    expect(dueAt(2 * minute - 1, 2 * minute, [])).toEqual(not("too-young", enteredAt + 2 * minute));
  });

  it("from the moment its age reaches the wait of its attempt, of which the last repeats", () => {
    const waits = [minute, 10 * minute];
    expect(dueAt(minute, 0, waits, 0)).toEqual({ due: true });
    expect(dueAt(minute, 0, waits, 1)).toEqual(not("waiting", enteredAt + 10 * minute));
    expect(dueAt(minute, 0, waits, 99)).toEqual(not("waiting", enteredAt + 10 * minute));
    expect(dueAt(10 * minute, 0, waits, 99)).toEqual({ due: true });
  });

  it("not before what holds it back longest, of equals the first", () => {
    expect(dueAt(0, minute, [minute])).toMatchObject({ reason: "too-young" });
    expect(dueAt(0, minute, [5 * minute])).toEqual(not("waiting", enteredAt + 5 * minute));
    expect(dueAt(0, 0, [], 0, { "Retry-After": "soon" })).toEqual({ due: true });
    expect(dueAt(0, minute, [5 * minute], 0, { "Retry-After": "600" })).toEqual(
      not("retry-after", enteredAt + 10 * minute),
    );
  });
});

describe("a message that must not be delivered before a time", () => {
  const now = enteredAt + 10 * minute;
  const due = (notBefore: number, minAgeMs = 0, responseHeader = {}) =>
    whenDue(factsOf({ notBefore, responseHeader }, { now }), { minAgeMs, waitMs: [] });

  it("is due from that moment on, in milliseconds", () => {
    expect(due(now + 1)).toEqual({ due: false, reason: "not-before", until: now + 1 });
    expect(due(now)).toEqual({ due: true });
    expect(due(enteredAt - 60_000)).toEqual({ due: true });
    expect(due(0)).toEqual({ due: true });
  });

  it("waits for what is later: its own date, or another wait", () => {
    expect(due(now + 1, 11 * minute)).toMatchObject({ reason: "too-young", until: now + minute });
    expect(due(now + 2 * minute, 11 * minute)).toMatchObject({ reason: "not-before" });
    const wish = { "Retry-After": "1200" };
    expect(due(now + minute, 0, wish)).toMatchObject({ reason: "retry-after", until: now + 10 * minute });
    expect(due(now + 11 * minute, 0, wish)).toMatchObject({ reason: "not-before" });
  });

  it.each([
    ["of seconds, until then", Math.ceil(now / 1_000) + 60, Math.ceil(now / 1_000) * 1_000 + 60_000],
    ["in 13 months", now + 400 * day, undefined],
    ["in the year 275760", 8_640_000_000_000_000, undefined],
    ["of 2^53 - 1", Number.MAX_SAFE_INTEGER, undefined],
  ])("is held for a date %s", (_, notBefore, until) => {
    expect(due(notBefore)).toEqual({ due: false, reason: "implausible-date", ...(until && { until }) });
    // It lasts longer than any other wait.
    expect(due(notBefore, 11 * minute).due).toBe(false);
  });

  it.each([1, 1_000_000, Math.floor(enteredAt / 1_000), 1_300_000_000_000])(
    "is not held for %d, which has passed by any reading",
    (notBefore) => expect(due(notBefore)).toEqual({ due: true }),
  );
});

describe("a decision in one line", () => {
  const facts = factsOf({}, { now: enteredAt + 40_000 });
  const until = enteredAt + 300_000;

  it.each([
    [{ then: "hold", reason: "too-young", rule: "slow", until }, 'hold: too-young (rule "slow", 40s of 5m)'],
    [{ then: "hold", reason: "waiting", rule: "slow", until }, 'hold: waiting (rule "slow", 40s of 5m)'],
    [{ then: "hold", reason: "retry-after", rule: "a", until }, 'hold: retry-after (rule "a", 4m20s left)'],
    [{ then: "hold", reason: "otherwise", rule: null }, "hold: otherwise"],
    [{ then: "hold", reason: "cooling", rule: null, until: enteredAt }, "hold: cooling (0s left)"],
    [{ then: "park", reason: "redacted", rule: null }, "park: redacted"],
    [{ then: "republish", reason: "due", rule: "outage", set: {} }, 'republish: due (rule "outage")'],
    [{ then: "drop", reason: "rule", rule: "old" }, 'drop: rule (rule "old")'],
    [{ then: "settle", reason: "published-before", rule: null }, "settle: published-before"],
  ] as const)("%j", (decision, line) => {
    expect(explainDecision(decision, facts)).toBe(line);
  });
});
