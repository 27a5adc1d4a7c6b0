import { describe, expect, it } from "vitest";
import { explainDecision } from "../../../../src/job/rules/explain-decision.ts";
import { whenDue } from "../../../../src/job/rules/when-due.ts";
import { enteredAt, factsOf } from "../../../support/letters.ts";

const minute = 60_000;
const day = 86_400_000;

const dueAt = (ageMs: number, minAgeMs: number, waitMs: number[], attempt = 0, responseHeader = {}) =>
  whenDue(factsOf({ responseHeader }, { now: enteredAt + ageMs, attempt }), { minAgeMs, waitMs });

const untilOf = (responseHeader: Record<string, unknown>) => {
  const due = dueAt(0, 0, [], 0, responseHeader);
  return due.due ? 0 : Number(due.until) - enteredAt;
};
const httpDate = (ms: number) => new Date(ms).toUTCString();

describe("a record is due", () => {
  it("from the moment its age reaches minAge", () => {
    expect(dueAt(2 * minute, 2 * minute, [])).toEqual({ due: true });
    expect(dueAt(2 * minute - 1, 2 * minute, [])).toEqual({
      due: false,
      reason: "too-young",
      until: enteredAt + 2 * minute,
    });
  });

  it("from the moment its age reaches the wait of its attempt, of which the last repeats", () => {
    const waits = [minute, 10 * minute];
    expect(dueAt(minute, 0, waits, 0)).toEqual({ due: true });
    expect(dueAt(minute, 0, waits, 1)).toEqual({
      due: false,
      reason: "waiting",
      until: enteredAt + 10 * minute,
    });
    expect(dueAt(minute, 0, waits, 99)).toEqual({
      due: false,
      reason: "waiting",
      until: enteredAt + 10 * minute,
    });
    expect(dueAt(10 * minute, 0, waits, 99)).toEqual({ due: true });
  });

  it("not before what holds it back longest, of equals the first", () => {
    expect(dueAt(0, minute, [minute])).toMatchObject({ reason: "too-young" });
    expect(dueAt(0, minute, [5 * minute])).toEqual({
      due: false,
      reason: "waiting",
      until: enteredAt + 5 * minute,
    });
    expect(dueAt(0, minute, [5 * minute], 0, { "Retry-After": "600" })).toEqual({
      due: false,
      reason: "retry-after",
      until: enteredAt + 10 * minute,
    });
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
    [
      "of seconds, until then at the latest",
      Math.ceil(now / 1_000) + 60,
      Math.ceil(now / 1_000) * 1_000 + 60_000,
    ],
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

describe("a stored wish to be left alone", () => {
  // An HTTP date has whole seconds.
  const second = enteredAt - (enteredAt % 1_000);

  it.each<[string, string, number]>([
    ["Retry-After", "120", 120_000],
    ["retry-after", " 120 ", 120_000],
    ["Retry-After", httpDate(second + 3_600_000), second + 3_600_000 - enteredAt],
    ["X-RateLimit-Reset", "90", 90_000],
    ["x-ratelimit-reset", "1m30s", 90_000],
    ["X-RateLimit-Reset", "1.5h", 5_400_000],
    ["X-RateLimit-Reset", "300ms", 300],
    ["X-RateLimit-Reset", String(second / 1_000 + 60), second + 60_000 - enteredAt],
    ["X-RateLimit-Reset", String(enteredAt + 5_000), 5_000],
    ["Retry-After", "86401", day],
    ["Retry-After", String(30 * 86_400), day],
  ])("%s: %s holds for %d ms from entry", (name, value, ms) => {
    expect(untilOf({ [name]: [value] })).toBe(ms);
  });

  it.each([
    "",
    "0",
    "-5",
    "soon",
    "1m30",
    "5x",
    "99999999",
    "999999999999999999999",
    httpDate(enteredAt - day),
    httpDate(enteredAt + 365 * day),
    "Thu, 99 Sep 2024 00:00:00 GMT",
    "1h".repeat(50_000),
  ])("%j is not honoured", (value) => {
    expect(untilOf({ "Retry-After": [value] })).toBe(0);
  });

  it("is the later of several", () => {
    expect(untilOf({ "Retry-After": ["5", "60"], "X-RateLimit-Reset": ["30"] })).toBe(60_000);
  });
});

describe("a decision in one line", () => {
  const facts = factsOf({}, { now: enteredAt + 40_000 });
  const until = enteredAt + 300_000;

  it.each([
    [
      { then: "hold", reason: "too-young", rule: "gateway", until },
      'hold: too-young (rule "gateway", 40s of 5m)',
    ],
    [
      { then: "hold", reason: "waiting", rule: "gateway", until },
      'hold: waiting (rule "gateway", 40s of 5m)',
    ],
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

  it("gives the moment where the facts are not known", () => {
    expect(explainDecision({ then: "hold", reason: "too-young", rule: "gateway", until: 0 })).toBe(
      'hold: too-young (rule "gateway", until 1970-01-01T00:00:00.000Z)',
    );
  });
});
