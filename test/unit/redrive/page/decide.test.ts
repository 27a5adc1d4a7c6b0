import { failureKindOf } from "../../../../src/redrive/failures/failure-kind.ts";
import { numberPatterns } from "../../../../src/rules/patterns/number-and-time-patterns.ts";
import { describe, expect, it } from "vitest";
import type { MessageId } from "../../../../src/message/dead-letter.ts";
import type { DrainName } from "../../../../src/ports/ids.ts";
import type { LedgerView } from "../../../../src/ports/ledger-entries.ts";
import { decideRecord, type DecidingDrain } from "../../../../src/redrive/page/decide.ts";
import type { KnownRecord } from "../../../../src/redrive/page/records.ts";
import { compileRules } from "../../../../src/rules/compile-rules.ts";
import type { RuleSpec } from "../../../../src/rules/rule-spec.ts";
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
  reading: KnownRecord["reading"] = { kind: "none" },
  over: Partial<DecidingDrain> = {},
  viewedAt = now,
) {
  const letter = letterOf({
    dlqId: `${now - hour}-0`,
    createdAt: now - hour - 1_000,
    responseStatus: 503,
    ...fields,
  });
  return decideRecord(
    { ...drain, ...over },
    {
      raw: {},
      letter,
      reading,
      failure: failureKindOf(letter),
      view,
      viewedAt,
      mayBeForgotten: false,
      isNewComeBack: false,
    },
    now,
  ).decision;
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
  }) as unknown as KnownRecord["reading"];

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
      ({ kind: "come-back", lineage: { ...lineage, attempt } }) as unknown as KnownRecord["reading"];
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
