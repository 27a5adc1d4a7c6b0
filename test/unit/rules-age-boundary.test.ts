import { describe, expect, it } from "vitest";
import { nextAgeBoundary } from "../../src/rules/age-boundary.ts";
import { compileCondition } from "../../src/rules/compile-rules.ts";
import type { Condition } from "../../src/rules/spec.ts";
import { toSubject } from "../../src/rules/subject.ts";
import { duration, number, rule } from "../support/conditions.ts";
import { enteredAt, factsOf } from "../support/letters.ts";

const hour = 3_600_000;
const expiresAt = enteredAt + 72 * hour;
const rootCreatedAt = enteredAt - hour;
const at = (now: number) => factsOf({}, { now, rootCreatedAt, expiresAt });
const next = (condition: Condition, now = enteredAt) => nextAgeBoundary([rule("r", condition)], at(now));

describe("the next moment at which a condition on time may turn", () => {
  it.each<[Condition, number | null]>([
    [duration("age", "> 2h"), enteredAt + 2 * hour + 2],
    [duration("age", ">= 2h"), enteredAt + 2 * hour + 1],
    [duration("messageAge", ">= 2h"), enteredAt + hour + 1],
    [duration("timeLeft", "<= 12h"), expiresAt - 12 * hour + 1],
    [duration("timeLeft", "1h-12h"), expiresAt - 12 * hour + 1],
    [{ kind: "not", of: duration("age", "< 1h") }, enteredAt + hour],
    [{ kind: "all", of: [duration("age", "> 5h"), duration("timeLeft", "<= 71h")] }, enteredAt + hour + 1],
    [duration("messageAge", "< 1h"), null],
    [number("responseStatus", 503), null],
  ])("%#", (condition, moment) => {
    expect(next(condition)).toBe(moment);
  });

  it.each([duration("age", "> 2h"), duration("timeLeft", "< 12h"), duration("timeLeft", "2h-12h")])(
    "has the other answer then: %#",
    (condition) => {
      const holds = compileCondition(condition);
      const moment = next(condition) ?? 0;
      expect(holds(toSubject(at(enteredAt)))).toBe(false);
      expect(holds(toSubject(at(moment)))).toBe(true);
    },
  );
});
