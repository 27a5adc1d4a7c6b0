import { describe, expect, it } from "vitest";
import type { MessageId } from "../../../../src/job/message/dead-letter.ts";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import type { LedgerView } from "../../../../src/job/contracts/ledger-entries.ts";
import {
  decide as decideLetter,
  type Decidable,
  type DecidingDrain,
} from "../../../../src/job/page/decide.ts";
import { compileRules } from "../../../../src/job/rules/compile-rules.ts";
import type { RuleSpec } from "../../../../src/job/rules/rule-spec.ts";
import { duration, moment, number, rule } from "../../../support/conditions.ts";
import { letterOf, publishedView } from "../../../support/letters.ts";

const now = 1_800_000_000_000;
const hour = 3_600_000;
const name = "orders" as DrainName;

const status = (value: unknown) => number("responseStatus", value);
const drop = (name: string, when: RuleSpec["when"]) => rule(name, when, { then: "drop" });
const outage = rule("outage", status("5xx"));
const rules = [
  rule("broken", status(422), { then: "park" }),
  outage,
  rule("said", status(489)),
  rule("old", duration("age", ">= 3h")),
];

const drain: DecidingDrain = {
  name,
  source: { retentionMs: 72 * hour },
  rules,
  route: compileRules(rules, "hold"),
  rulesHash: "h1",
  minAgeMs: 60_000,
  attempts: { max: 2, waitMs: [0, 2 * hour], then: "park" },
  unknownOutcome: "republish",
  afterLedgerLoss: "republish",
};

function decide(
  view: LedgerView,
  fields: object = {},
  reading: Decidable["reading"] = none,
  over: Partial<DecidingDrain> = {},
  viewedAt = now,
) {
  const content = letterOf({
    dlqId: `${now - hour}-0`,
    createdAt: now - hour - 1_000,
    responseStatus: 503,
    ...fields,
  });
  return decideLetter({ ...drain, ...over }, { content, reading, view, viewedAt, mayBeForgotten: false }, now)
    .decision;
}

const absent: LedgerView = { state: "absent" };
const open = {
  state: "open",
  drain: name,
  series: { suffix: 1, firstAt: now - 120_000, posts: 1, refusals: 0, doubts: 0 },
  lastAt: now - 120_000,
  attempt: 0,
  messageId: "msg_1" as MessageId,
  released: false,
  unknown: true,
  pastHorizon: false,
} as const;

const cool = {
  state: "cool",
  dueAt: now,
  refusedAlone: 0,
  attempt: 0,
  released: false,
  suffix: 1,
} as const;

const none = { kind: "none" } as const;
const by = (...rules: readonly RuleSpec[]) => ({ rules, route: compileRules(rules, "hold") });
const max = (attempts: number) => ({ attempts: { ...drain.attempts, max: attempts } });

/**
 * Past its horizon, in the `nth` series that may have been accepted. Refusals have raised the suffix besides.
 */
function inDoubt(nth: number, attempt: number): LedgerView {
  return {
    ...open,
    pastHorizon: true,
    attempt,
    series: { ...open.series, suffix: nth + 7, doubts: nth - 1 },
  };
}

const comeBackOf = (lineage: object) => ({ kind: "come-back", lineage }) as unknown as Decidable["reading"];
/** What is done, and why. */
function said(...of: Parameters<typeof decide>): string {
  const { then, reason } = decide(...of);
  return `${then}, ${reason}`;
}
const thenOf = (...of: Parameters<typeof decide>) => decide(...of).then;

describe("a record that the ledger does not know", () => {
  it("is republished when a rule says so and it is old enough", () => {
    expect(decide(absent)).toMatchObject({ then: "republish", reason: "due", rule: "outage" });
    expect(decide(absent, { dlqId: `${now - 30_000}-0` })).toMatchObject({
      then: "hold",
      reason: "too-young",
      until: now + 30_000,
    });
  });

  it.each([
    ["that nothing is known of", absent],
    ["that is in doubt", open],
    ["that a person released", { ...open, released: "by-person" }],
  ] as const)("%s is dropped only once it is as old as minAge", (_, view) => {
    const over = by(drop("over", status(410)));
    const at = (ageMs: number) =>
      decide(view, { dlqId: `${now - ageMs}-0`, responseStatus: 410 }, none, over);
    expect(at(59_999)).toEqual({ then: "hold", reason: "too-young", rule: "over", until: now + 1 });
    expect(at(60_000)).toEqual({ then: "drop", reason: "rule", rule: "over" });
  });

  it("is parked or held by rules, and held until an age in a rule may change that", () => {
    expect(decide(absent, { responseStatus: 422 })).toMatchObject({ then: "park", rule: "broken" });
    expect(decide(absent, { responseStatus: 404 })).toMatchObject({
      then: "hold",
      reason: "otherwise",
      until: now + 2 * hour,
    });
  });

  it("waits longer after each redrive, and is parked when they are spent", () => {
    const after = (attempt: number) => comeBackOf({ attempt, rootCreatedAt: now - 9 * hour });
    expect(decide(absent, {}, after(1))).toMatchObject({ reason: "waiting", until: now + hour });
    expect(said(absent, {}, after(2))).toBe("park, attempts-exhausted");
    expect(said(absent, {}, { kind: "untrusted", attempt: 2 })).toBe("park, attempts-exhausted");
    expect(thenOf(absent, {}, { kind: "inherited" })).toBe("republish");
  });

  it("is not redriven after 'never again' unless a rule names that status itself", () => {
    const never = { responseStatus: 489, responseHeader: { "Upstash-NonRetryable-Error": ["true"] } };
    expect(decide(absent, never)).toMatchObject({ then: "republish", rule: "said" });
    expect(said(absent, never, none, by(rule("all", status("4xx"))))).toBe("park, non-retryable");
  });
});

describe("a message that must not be delivered yet", () => {
  const ahead = { notBefore: now + 2 * hour };
  const held = { then: "hold", reason: "not-before", rule: "outage", until: now + 2 * hour };

  it("is held until then, also after a release", () => {
    expect(decide(absent, ahead)).toEqual(held);
    expect(said(absent, { notBefore: now })).toBe("republish, due");
    expect(decide({ ...cool, released: "by-person" }, ahead)).toEqual(held);
    expect(decide({ ...cool, released: "listed-again" }, ahead)).toEqual(held);
    expect(decide(absent, { ...ahead, queueName: "q" })).toEqual(held);
  });

  it("is parked, dropped and reconciled as any other", () => {
    expect(said(absent, { ...ahead, responseStatus: 422 })).toBe("park, rule");
    expect(said(open, ahead)).toBe("republish, reconcile");
    expect(decide(absent, ahead, none, max(0))).toMatchObject({ reason: "attempts-exhausted" });
  });

  it("is sent at once if its record would expire before, unless it goes to a queue", () => {
    const late = { notBefore: now + 71 * hour };
    expect(said(absent, late)).toBe("republish, due");
    const queued = { then: "hold", reason: "not-before", until: now + 71 * hour };
    expect(decide(absent, { ...late, queueName: "q" })).toMatchObject(queued);
    const off = by(rule("off", status(503), { set: { queue: null } }));
    expect(thenOf(absent, { ...late, queueName: "q" }, none, off)).toBe("republish");
    const on = by(rule("on", status(503), { set: { queue: "q" } }));
    expect(decide(absent, late, none, on)).toMatchObject(queued);
  });

  it("is held for a date that cannot be true, unless a person released it", () => {
    const never = { notBefore: 8_640_000_000_000_000 };
    expect(decide(absent, never)).toEqual({ then: "hold", reason: "implausible-date", rule: "outage" });
    expect(thenOf({ ...cool, released: "by-person" }, never)).toBe("republish");
    expect(thenOf({ ...cool, released: "listed-again" }, never)).toBe("hold");
  });
});

const comeBack = (rootCreatedAt: number) =>
  comeBackOf({ attempt: 0, rootCreatedAt, step: null, isForgiven: false });

describe("a date of creation that cannot be true", () => {
  const late = duration("messageAge", "> 48h");
  const old = drop("old", late);
  const young = rule("young", duration("messageAge", "<= 48h"));
  const not = drop("not", { kind: "not", of: duration("messageAge", "<= 1h") });
  const before = drop("before", moment("createdAt", `<= ${now - 48 * hour}`));
  const behind = drop("behind", moment("createdAt", `>= ${now}`));
  const gone = drop("gone", status(410));
  const both = drop("both", { kind: "all", of: [status(400), late] });
  const implausible = "hold, implausible-date";
  const dates = {
    seconds: Math.floor(now / 1_000),
    zero: 0,
    "a year ahead": now + 365 * 24 * hour,
    "the year 275760": 8_640_000_000_000_000,
    "of 2014": Date.UTC(2014, 11, 31),
    "two hours after it died": now + hour,
  };

  it.each<[string, readonly RuleSpec[], number, string]>([
    ["drops nothing: the record is held", [old, outage], 503, implausible],
    ["is not asked for behind the rule that matches", [outage, old], 503, "republish, due"],
    ["is not young either", [young, drop("rest", { kind: "any" })], 503, implausible],
    ["is no other age", [not], 503, implausible],
    ["is neither before a date nor behind it", [before, behind], 503, implausible],
    ["changes nothing of a park", rules, 422, "park, rule"],
    ["changes nothing of a drop by something else", [both, gone, outage], 410, "drop, rule"],
    ["changes nothing that no rule's answer rests on", [both, gone, outage], 503, "republish, due"],
    ["holds what a rule asks for beside something else", [both, gone, outage], 400, implausible],
    ["is passed over by a rule that drops nothing", [rule("slow", late), outage], 503, "republish, due"],
  ])("%s", (_, rules, responseStatus, expected) => {
    for (const [name, createdAt] of Object.entries(dates)) {
      expect([name, said(absent, { createdAt, responseStatus }, none, by(...rules))]).toEqual([
        name,
        expected,
      ]);
    }
  });

  it("is the root's, which a come-back brings along", () => {
    expect(said(absent, {}, comeBack(now / 1_000), by(old, outage))).toBe(implausible);
    expect(thenOf(absent, {}, comeBack(now - 49 * hour), by(old, outage))).toBe("drop");
    // Its own date is the service's, and the age is not counted from it.
    const own = { createdAt: 5 };
    expect(thenOf(absent, own, comeBack(now - 49 * hour), by(old, outage))).toBe("drop");
  });

  it("neither stops what a person released, nor what is in doubt, but for a drop", () => {
    const createdAt = now + 365 * 24 * hour;
    const released = { ...cool, released: "by-person" } as const;
    expect(thenOf(released, { createdAt }, none, by(old, outage))).toBe("republish");
    expect(said(released, { createdAt: 5 }, none, by(old, outage))).toBe(implausible);
    expect(decide(open, { createdAt }, none, by(old, outage))).toMatchObject({ reason: "reconcile" });
    expect(said(open, { createdAt: 5 }, none, by(old, outage))).toBe("hold, outcome-unknown");
  });
});

describe("a record that the ledger knows", () => {
  it("is settled again when it was published, and never republished", () => {
    expect(thenOf(publishedView)).toBe("settle");
    expect(thenOf({ state: "gone", at: 0 })).toBe("settle");
  });

  it("is left alone while a worker holds it, and reconciled when it is in doubt", () => {
    expect(said({ ...open, unknown: false })).toBe("hold, in-flight");
    expect(said(open, { dlqId: `${now - 1_000}-0` })).toBe("republish, reconcile");
    expect(said(open, { responseStatus: 422 })).toBe("hold, outcome-unknown");
    const park = { unknownOutcome: "park" } as const;
    expect(said({ ...open, pastHorizon: true }, {}, none, park)).toBe("park, outcome-unknown");
  });

  it("is republished past its horizon only until there may have been as many attempts as are allowed", () => {
    const again = "republish, reconcile";
    const spent = "park, outcome-unknown";
    expect(said(inDoubt(4, 0), {}, none, max(5))).toBe(again);
    expect(said(inDoubt(5, 0), {}, none, max(5))).toBe(spent);
    expect(said(inDoubt(3, 2), {}, none, max(5))).toBe(spent);
    // One new series it always may.
    expect(said(inDoubt(1, 0), {}, none, max(1))).toBe(again);
    expect(said(inDoubt(2, 0), {}, none, max(1))).toBe(spent);
    expect(said({ ...inDoubt(9, 0), pastHorizon: false } as LedgerView)).toBe(again);
  });

  it("stays parked until it is released, or its drain's rules say otherwise where rules had parked it", () => {
    const parked = {
      state: "parked",
      reason: "rule",
      drain: name,
      rulesHash: "h1",
      attempt: 0,
      suffix: 1,
    } as const;
    // Under the same rules too: what they say may turn with the time.
    expect(thenOf(parked)).toBe("republish");
    expect(thenOf({ ...parked, rulesHash: "h0" })).toBe("republish");
    expect(thenOf({ ...parked, rulesHash: "h0", drain: "other" as DrainName })).toBe("park");
    expect(said({ ...parked, rulesHash: "h0", reason: "refused" })).toBe("park, refused");
    const released = { ...cool, attempt: 1, released: "by-person" } as const;
    expect(said(released)).toBe("republish, due");
  });

  it("that a person released is tried once more, whatever parked it", () => {
    const released = { ...cool, attempt: 7, released: "by-person" } as const;
    const never = { responseStatus: 489, responseHeader: { "Upstash-NonRetryable-Error": ["true"] } };
    const broadly = by(rule("all", status("4xx")));
    const republish = { then: "republish", reason: "due" };
    expect(decide(released)).toMatchObject({ ...republish, rule: "outage" });
    expect(decide(released, { responseStatus: 422 })).toMatchObject({ ...republish, rule: "broken" });
    expect(decide(released, { dlqId: `${now - 1_000}-0` })).toMatchObject(republish);
    expect(decide(released, never, none, broadly)).toMatchObject(republish);
    // It is in doubt, so what was granted is not spent.
    expect(said({ ...open, released: "by-person" }, { responseStatus: 422 })).toBe("republish, reconcile");
    expect(said(released, { responseStatus: 404 })).toBe("hold, otherwise");
  });

  it("that was released because it is listed again is decided by rules and attempts like any other", () => {
    const released = { ...cool, attempt: 1, released: "listed-again" } as const;
    expect(said(released)).toBe("republish, due");
    expect(said(released, { responseStatus: 422 })).toBe("park, rule");
    expect(said({ ...released, attempt: 2 })).toBe("park, attempts-exhausted");
  });

  it("is held while it cools", () => {
    const cooling = { ...cool, dueAt: now + 5_000, refusedAlone: 1 };
    expect(decide(cooling)).toMatchObject({ then: "hold", reason: "cooling", until: now + 5_000 });
    expect(thenOf({ ...cooling, dueAt: now })).toBe("republish");
    // Until a time by the clock that passes and plans go by, also where the ledger's is ahead of it.
    const viewedAt = now + hour;
    const ahead = { ...cooling, dueAt: viewedAt + 5_000 };
    expect(decide(ahead, {}, none, {}, viewedAt)).toMatchObject({ until: now + 5_000 });
  });
});
