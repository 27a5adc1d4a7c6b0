import { numberPatterns } from "../../../../src/job/rules/patterns/number-and-time-patterns.ts";
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
import { letterOf, publishedView } from "../../../support/letters.ts";

const now = 1_800_000_000_000;
const hour = 3_600_000;
const name = "orders" as DrainName;

function status(text: string | number): RuleSpec["when"] {
  const parsed = numberPatterns.parse(text);
  if (!parsed.ok) throw new Error(parsed.expected);
  return { kind: "number", field: "responseStatus", oneOf: parsed.value };
}

const rules: readonly RuleSpec[] = [
  { name: "broken", when: status(422), then: "park" },
  { name: "outage", when: status("500-599"), then: "republish" },
  { name: "said", when: status(489), then: "republish" },
  {
    name: "old",
    when: {
      kind: "duration",
      field: "age",
      oneOf: [{ kind: "range", from: 3 * hour, to: Number.POSITIVE_INFINITY }],
    },
    then: "republish",
  },
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
  reading: Decidable["reading"] = { kind: "none" },
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
  firstAt: now,
} as const;

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

/** A come-back that was sent as a canary, as its header counts. */
const canaryAfter = (attempt: number) =>
  ({
    kind: "come-back",
    lineage: {
      attempt,
      rootCreatedAt: now - 2 * hour,
      step: { lane: "l", step: 1, isCanary: true, isProbe: false },
    },
  }) as unknown as Decidable["reading"];

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
    const drops: readonly RuleSpec[] = [{ name: "over", when: status(410), then: "drop" }];
    const at = (ageMs: number) =>
      decide(
        view,
        { dlqId: `${now - ageMs}-0`, responseStatus: 410 },
        { kind: "none" },
        {
          rules: drops,
          route: compileRules(drops, "hold"),
        },
      );
    expect(at(59_999)).toEqual({ then: "hold", reason: "too-young", rule: "over", until: now + 1 });
    expect(at(60_000)).toEqual({ then: "drop", reason: "rule", rule: "over" });
  });

  it("is parked or held by rules, and held until an age in a rule may change that", () => {
    expect(decide(absent, { responseStatus: 422 })).toMatchObject({
      then: "park",
      reason: "rule",
      rule: "broken",
    });
    expect(decide(absent, { responseStatus: 404 })).toMatchObject({
      then: "hold",
      reason: "otherwise",
      until: now + 2 * hour,
    });
  });

  it("waits longer after each redrive, and is parked when they are spent", () => {
    const lineage = {
      rootId: "msg_0",
      rootCreatedAt: now - 9 * hour,
      rootMaxRetries: 3,
      rootDestination: "https://a.example",
      parentDlqId: "1-0",
    };
    const after = (attempt: number) =>
      ({ kind: "come-back", lineage: { ...lineage, attempt } }) as unknown as Decidable["reading"];
    expect(decide(absent, {}, after(1))).toMatchObject({
      then: "hold",
      reason: "waiting",
      until: now + hour,
    });
    expect(decide(absent, {}, after(2))).toMatchObject({ then: "park", reason: "attempts-exhausted" });
    expect(decide(absent, {}, { kind: "untrusted", attempt: 2 })).toMatchObject({
      then: "park",
      reason: "attempts-exhausted",
    });
    expect(decide(absent, {}, { kind: "inherited" })).toMatchObject({ then: "republish" });
  });

  it("has spent no attempt as a canary that is back down, and one as a canary that is refused", () => {
    expect(decide(absent, {}, canaryAfter(1))).toMatchObject({ then: "republish", reason: "due" });
    expect(decide(absent, {}, canaryAfter(2))).toMatchObject({ then: "hold", reason: "waiting" });
    expect(decide(absent, {}, canaryAfter(3))).toMatchObject({ then: "park", reason: "attempts-exhausted" });
    const refused = { responseStatus: 489 };
    expect(decide(absent, refused, canaryAfter(1))).toMatchObject({ then: "hold", reason: "waiting" });
    expect(decide(absent, refused, canaryAfter(2))).toMatchObject({
      then: "park",
      reason: "attempts-exhausted",
    });
    // What the ledger has of it is what counted, and the larger holds.
    expect(decide({ ...cool, attempt: 2 }, {}, canaryAfter(1))).toMatchObject({
      then: "park",
      reason: "attempts-exhausted",
    });
  });

  it("is not redriven after 'never again' unless a rule names that status itself", () => {
    const never = { responseStatus: 489, responseHeader: { "Upstash-NonRetryable-Error": ["true"] } };
    expect(decide(absent, never)).toMatchObject({ then: "republish", rule: "said" });
    const broad = [{ name: "all", when: status("4xx"), then: "republish" }] as const;
    expect(
      decide(absent, never, { kind: "none" }, { rules: broad, route: compileRules(broad, "hold") }),
    ).toMatchObject({
      then: "park",
      reason: "non-retryable",
    });
  });
});

describe("a message that must not be delivered yet", () => {
  const ahead = { notBefore: now + 2 * hour };
  const held = { then: "hold", reason: "not-before", rule: "outage", until: now + 2 * hour };

  it("is held until then, also after a release", () => {
    expect(decide(absent, ahead)).toEqual(held);
    expect(decide(absent, { notBefore: now })).toMatchObject({ then: "republish", reason: "due" });
    expect(decide({ ...cool, released: "by-person" }, ahead)).toEqual(held);
    expect(decide({ ...cool, released: "listed-again" }, ahead)).toEqual(held);
    expect(decide(absent, { ...ahead, queueName: "q" })).toEqual(held);
  });

  it("is parked, dropped and reconciled as any other", () => {
    expect(decide(absent, { ...ahead, responseStatus: 422 })).toMatchObject({ then: "park", reason: "rule" });
    expect(decide(open, ahead)).toMatchObject({ then: "republish", reason: "reconcile" });
    expect(decide(absent, ahead, { kind: "none" }, max(0))).toMatchObject({ reason: "attempts-exhausted" });
  });

  it("is sent at once if its record would expire before, unless it goes to a queue", () => {
    const late = { notBefore: now + 71 * hour };
    expect(decide(absent, late)).toMatchObject({ then: "republish", reason: "due" });
    const queued = { then: "hold", reason: "not-before", until: now + 71 * hour };
    expect(decide(absent, { ...late, queueName: "q" })).toMatchObject(queued);
    const off = [{ name: "off", when: status(503), then: "republish", set: { queue: null } }] as const;
    const unqueued = { rules: off, route: compileRules(off, "hold") };
    expect(decide(absent, { ...late, queueName: "q" }, { kind: "none" }, unqueued)).toMatchObject({
      then: "republish",
    });
    const on = [{ name: "on", when: status(503), then: "republish", set: { queue: "q" } }] as const;
    expect(
      decide(absent, late, { kind: "none" }, { rules: on, route: compileRules(on, "hold") }),
    ).toMatchObject(queued);
  });

  it("is held for a date that cannot be true, unless a person released it", () => {
    const never = { notBefore: 8_640_000_000_000_000 };
    expect(decide(absent, never)).toEqual({ then: "hold", reason: "implausible-date", rule: "outage" });
    expect(decide({ ...cool, released: "by-person" }, never)).toMatchObject({ then: "republish" });
    expect(decide({ ...cool, released: "listed-again" }, never)).toMatchObject({ then: "hold" });
  });
});

const age = (range: { from: number; to: number }): RuleSpec["when"] => ({
  kind: "duration",
  field: "messageAge",
  oneOf: [{ kind: "range", ...range }],
});
const created = (range: { from: number; to: number }): RuleSpec["when"] => ({
  kind: "number",
  field: "createdAt",
  oneOf: [{ kind: "range", ...range }],
});
const by = (rules: readonly RuleSpec[], otherwise: "hold" | "park" = "hold") => ({
  rules,
  route: compileRules(rules, otherwise),
});
const comeBack = (rootCreatedAt: number) =>
  ({
    kind: "come-back",
    lineage: { attempt: 0, rootCreatedAt, step: null, isForgiven: false },
  }) as unknown as Decidable["reading"];

describe("a date of creation that cannot be true", () => {
  const after48h = { from: 48 * hour + 1, to: Infinity };
  const outage = { name: "outage", when: status("5xx"), then: "republish" } as const;
  const old = { name: "old", when: age(after48h), then: "drop" } as const;
  const none = { kind: "none" } as const;
  const implausible = { then: "hold", reason: "implausible-date" };
  const dates = [
    ["seconds", Math.floor(now / 1_000)],
    ["zero", 0],
    ["a year ahead", now + 365 * 24 * hour],
    ["the year 275760", 8_640_000_000_000_000],
    ["of 2014", Date.UTC(2014, 11, 31)],
    ["two hours after it died", now + hour],
  ] as const;

  it.each(dates)("(%s) drops nothing: the record is held", (_, createdAt) => {
    expect(decide(absent, { createdAt }, none, by([old, outage]))).toMatchObject(implausible);
    expect(decide(absent, { createdAt }, none, by([outage, old]))).toMatchObject({ then: "republish" });
    const young = {
      name: "young",
      when: age({ from: -Infinity, to: 48 * hour }),
      then: "republish",
    } as const;
    const rest = { name: "rest", when: { kind: "any" }, then: "drop" } as const;
    expect(decide(absent, { createdAt }, none, by([young, rest]))).toMatchObject(implausible);
    const not = {
      name: "not",
      when: { kind: "not", of: age({ from: -Infinity, to: hour }) },
      then: "drop",
    } as const;
    expect(decide(absent, { createdAt }, none, by([not]))).toMatchObject(implausible);
    const before = {
      name: "before",
      when: created({ from: -Infinity, to: now - 48 * hour }),
      then: "drop",
    } as const;
    const behind = { name: "behind", when: created({ from: now, to: Infinity }), then: "drop" } as const;
    expect(decide(absent, { createdAt }, none, by([before, behind])).then).toBe("hold");
  });

  it.each(dates)("(%s) changes nothing if no rule's answer rests on it", (_, createdAt) => {
    expect(decide(absent, { createdAt })).toMatchObject({ then: "republish" });
    expect(decide(absent, { createdAt, responseStatus: 422 })).toMatchObject({
      then: "park",
      rule: "broken",
    });
    const gone = { name: "gone", when: status(410), then: "drop" } as const;
    const other = {
      name: "other",
      when: { kind: "all", of: [status(400), age(after48h)] },
      then: "drop",
    } as const;
    const drain = by([other, gone, outage]);
    expect(decide(absent, { createdAt, responseStatus: 410 }, none, drain)).toMatchObject({ then: "drop" });
    expect(decide(absent, { createdAt }, none, drain)).toMatchObject({ then: "republish" });
    expect(decide(absent, { createdAt, responseStatus: 400 }, none, drain)).toMatchObject(implausible);
    const slow = { name: "slow", when: age(after48h), then: "republish" } as const;
    expect(decide(absent, { createdAt }, none, by([slow, outage]))).toMatchObject({ then: "republish" });
  });

  it("is the root's, which a come-back brings along", () => {
    expect(decide(absent, {}, comeBack(now / 1_000), by([old, outage]))).toMatchObject(implausible);
    expect(decide(absent, {}, comeBack(now - 49 * hour), by([old, outage]))).toMatchObject({ then: "drop" });
    // Its own date is the service's, and the age is not counted from it.
    const own = { createdAt: 5 };
    expect(decide(absent, own, comeBack(now - 49 * hour), by([old, outage]))).toMatchObject({ then: "drop" });
  });

  it("may be asked for by itself, but for a drop", () => {
    const early = created({ from: -Infinity, to: Date.UTC(2015, 0, 1) });
    const sent = { name: "seconds", when: early, then: "republish" } as const;
    const createdAt = Math.floor(now / 1_000);
    expect(decide(absent, { createdAt }, none, by([sent, old]))).toMatchObject({ then: "republish" });
    const dropped = { name: "seconds", when: early, then: "drop" } as const;
    expect(decide(absent, { createdAt }, none, by([dropped]))).toMatchObject(implausible);
  });

  it("neither stops what a person released, nor what is in doubt, but for a drop", () => {
    const createdAt = now + 365 * 24 * hour;
    const released = { ...cool, released: "by-person" } as const;
    expect(decide(released, { createdAt }, none, by([old, outage]))).toMatchObject({ then: "republish" });
    expect(decide(released, { createdAt: 5 }, none, by([old, outage]))).toMatchObject(implausible);
    expect(decide(open, { createdAt }, none, by([old, outage]))).toMatchObject({ reason: "reconcile" });
    expect(decide(open, { createdAt: 5 }, none, by([old, outage]))).toMatchObject({
      then: "hold",
      reason: "outcome-unknown",
    });
  });
});

describe("a record that the ledger knows", () => {
  it("is settled again when it was published, and never republished", () => {
    expect(decide(publishedView)).toMatchObject({ then: "settle" });
    expect(decide({ state: "gone", at: 0 })).toMatchObject({ then: "settle" });
  });

  it("is left alone while a worker holds it, and reconciled when it is in doubt", () => {
    expect(decide({ ...open, unknown: false })).toMatchObject({ then: "hold", reason: "in-flight" });
    expect(decide(open, { dlqId: `${now - 1_000}-0` })).toMatchObject({
      then: "republish",
      reason: "reconcile",
    });
    expect(decide(open, { responseStatus: 422 })).toMatchObject({ then: "hold", reason: "outcome-unknown" });
    const park = { unknownOutcome: "park" } as const;
    expect(decide({ ...open, pastHorizon: true }, {}, { kind: "none" }, park)).toMatchObject({
      then: "park",
      reason: "outcome-unknown",
    });
  });

  it("is republished past its horizon only until there may have been as many attempts as are allowed", () => {
    const again = { then: "republish", reason: "reconcile" };
    const spent = { then: "park", reason: "outcome-unknown" };
    expect(decide(inDoubt(4, 0), {}, { kind: "none" }, max(5))).toMatchObject(again);
    expect(decide(inDoubt(5, 0), {}, { kind: "none" }, max(5))).toMatchObject(spent);
    expect(decide(inDoubt(3, 2), {}, { kind: "none" }, max(5))).toMatchObject(spent);
    // One new series it always may.
    expect(decide(inDoubt(1, 0), {}, { kind: "none" }, max(1))).toMatchObject(again);
    expect(decide(inDoubt(2, 0), {}, { kind: "none" }, max(1))).toMatchObject(spent);
    expect(decide({ ...inDoubt(9, 0), pastHorizon: false } as LedgerView)).toMatchObject(again);
  });

  it("stays parked until it is released, or its drain's rules say otherwise where rules had parked it", () => {
    const parked = {
      state: "parked",
      reason: "rule",
      drain: name,
      rulesHash: "h1",
      attempt: 0,
      firstAt: now,
    } as const;
    // Under the same rules too: what they say may turn with the time.
    expect(decide(parked)).toMatchObject({ then: "republish" });
    expect(decide({ ...parked, rulesHash: "h0" })).toMatchObject({ then: "republish" });
    expect(decide({ ...parked, rulesHash: "h0", drain: "other" as DrainName })).toMatchObject({
      then: "park",
    });
    expect(decide({ ...parked, rulesHash: "h0", reason: "refused" })).toMatchObject({
      then: "park",
      reason: "refused",
    });
    const released = { ...cool, attempt: 1, released: "by-person" } as const;
    expect(decide(released)).toMatchObject({ then: "republish", reason: "due" });
  });

  it("that a person released is tried once more, whatever parked it", () => {
    const released = { ...cool, attempt: 7, released: "by-person" } as const;
    const never = { responseStatus: 489, responseHeader: { "Upstash-NonRetryable-Error": ["true"] } };
    const broad = [{ name: "all", when: status("4xx"), then: "republish" }] as const;
    const broadly = { rules: broad, route: compileRules(broad, "hold") };
    const republish = { then: "republish", reason: "due" };
    expect(decide(released)).toMatchObject({ ...republish, rule: "outage" });
    expect(decide(released, { responseStatus: 422 })).toMatchObject({ ...republish, rule: "broken" });
    expect(decide(released, { dlqId: `${now - 1_000}-0` })).toMatchObject(republish);
    expect(decide(released, never, { kind: "none" }, broadly)).toMatchObject(republish);
    // It is in doubt, so what was granted is not spent.
    expect(decide({ ...open, released: "by-person" }, { responseStatus: 422 })).toMatchObject({
      then: "republish",
      reason: "reconcile",
    });
    expect(decide(released, { responseStatus: 404 })).toMatchObject({ then: "hold", reason: "otherwise" });
  });

  it("that was released because it is listed again is decided by rules and attempts like any other", () => {
    const released = { ...cool, attempt: 1, released: "listed-again" } as const;
    expect(decide(released)).toMatchObject({ then: "republish", reason: "due" });
    expect(decide(released, { responseStatus: 422 })).toMatchObject({ then: "park", reason: "rule" });
    expect(decide({ ...released, attempt: 2 })).toMatchObject({ then: "park", reason: "attempts-exhausted" });
  });

  it("is held while it cools", () => {
    const cooling = { ...cool, dueAt: now + 5_000, refusedAlone: 1 };
    expect(decide(cooling)).toMatchObject({ then: "hold", reason: "cooling", until: now + 5_000 });
    expect(decide({ ...cooling, dueAt: now })).toMatchObject({ then: "republish" });
    // Until a time by the clock that passes and plans go by, also where the ledger's is ahead of it.
    const viewedAt = now + hour;
    const ahead = { ...cooling, dueAt: viewedAt + 5_000 };
    expect(decide(ahead, {}, { kind: "none" }, {}, viewedAt)).toMatchObject({ until: now + 5_000 });
  });
});
