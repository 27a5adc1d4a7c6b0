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
const after = (attempt: number) => comeBackOf({ attempt, rootCreatedAt: now - 9 * hour });

/** What is done, why, by which rule, and in how many ms if it waits for a time. */
function said(...of: Parameters<typeof decide>): string {
  const decision = decide(...of);
  const rule = decision.then === "settle" ? null : decision.rule;
  const until = decision.then === "hold" ? decision.until : undefined;
  return [
    `${decision.then}, ${decision.reason}`,
    ...(rule === null ? [] : [`by ${rule}`]),
    ...(until === undefined ? [] : [`in ${until - now}`]),
  ].join(", ");
}

const entered = (agoMs: number, fields: object = {}) => ({ dlqId: `${now - agoMs}-0`, ...fields });
const failed = (responseStatus: number) => ({ responseStatus });
const untrusted = { kind: "untrusted", attempt: 2 } as const;
const never = { responseStatus: 489, responseHeader: { "Upstash-NonRetryable-Error": ["true"] } };
const broadly = by(rule("all", status("4xx")));
const over = by(drop("over", status(410)));

const due = "republish, due, by outage";
const again = "republish, reconcile, by outage";
const exhausted = "park, attempts-exhausted, by outage";

type Row = readonly [what: string, expected: string, ...of: Parameters<typeof decide>];

function decides(what: string, rows: readonly Row[]): void {
  describe(`${what} is decided`, () => {
    for (const [one, expected, ...of] of rows) {
      it(`${one}: ${expected}`, () => expect(said(...of)).toBe(expected));
    }
  });
}

decides("a record that the ledger does not know", [
  ["goes by its rule", due, absent],
  ["too young", "hold, too-young, by outage, in 30000", absent, entered(30_000)],
  ["parked by its rule", "park, rule, by broken", absent, failed(422)],
  ["of no rule, until an age may change that", "hold, otherwise, in 7200000", absent, failed(404)],
  ["after one redrive", "hold, waiting, by outage, in 3600000", absent, {}, after(1)],
  ["after all of them", exhausted, absent, {}, after(2)],
  ["the same, by its own word", exhausted, absent, {}, untrusted],
  ["of which another redrive is the parent", due, absent, {}, { kind: "inherited" }],
  ["'never again', and a rule names that status", "republish, due, by said", absent, never],
  ["'never again', and no rule names it", "park, non-retryable, by all", absent, never, none, broadly],
]);

describe.each<[string, LedgerView]>([
  ["that nothing is known of", absent],
  ["that is in doubt", open],
  ["that a person released", { ...open, released: "by-person" }],
])("a record %s", (_, view) => {
  it("is dropped only once it is as old as minAge", () => {
    expect(said(view, entered(59_999, failed(410)), none, over)).toBe("hold, too-young, by over, in 1");
    expect(said(view, entered(60_000, failed(410)), none, over)).toBe("drop, rule, by over");
  });
});

const ahead = { notBefore: now + 2 * hour };
const late = { notBefore: now + 71 * hour };
const notYet = "hold, not-before, by outage, in 7200000";
const lateDue = "hold, not-before, by outage, in 255600000";
const queued = { ...late, queueName: "q" };
const neverDue = { notBefore: 8_640_000_000_000_000 };
const badDate = "hold, implausible-date, by outage";
const byPerson = { ...cool, released: "by-person" } as const;
const listedAgain = { ...cool, released: "listed-again" } as const;
const off = by(rule("off", status(503), { set: { queue: null } }));
const on = by(rule("on", status(503), { set: { queue: "q" } }));

decides("a message that must not be delivered yet", [
  ["waits", notYet, absent, ahead],
  ["at its time", due, absent, { notBefore: now }],
  ["released", notYet, byPerson, ahead],
  ["listed again", notYet, listedAgain, ahead],
  ["of a queue", notYet, absent, { ...ahead, queueName: "q" }],
  ["is parked as any other", "park, rule, by broken", absent, { ...ahead, ...failed(422) }],
  ["is reconciled as any other", again, open, ahead],
  ["is exhausted as any other", exhausted, absent, ahead, none, max(0)],
  ["would expire before", due, absent, late],
  ["would, and has a queue", lateDue, absent, queued],
  ["which its rule takes off", "republish, due, by off", absent, queued, none, off],
  ["or puts on", "hold, not-before, by on, in 255600000", absent, late, none, on],
  ["has a date that cannot be true", badDate, absent, neverDue],
  ["has one, and is released", due, byPerson, neverDue],
  ["has one, and is listed again", badDate, listedAgain, neverDue],
]);

const old = drop("old", duration("messageAge", "> 48h"));

const comeBack = (rootCreatedAt: number) =>
  comeBackOf({ attempt: 0, rootCreatedAt, step: null, isForgiven: false });

describe("a date of creation that cannot be true", () => {
  const late = duration("messageAge", "> 48h");
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
      const found = said(absent, { createdAt, responseStatus }, none, by(...rules));
      expect(found.split(", by ")[0], name).toBe(expected);
    }
  });
});

const byAge = by(old, outage);
const ofOldRoot = comeBack(now - 49 * hour);
const ofBadRoot = comeBack(now / 1_000);
const yearAhead = { createdAt: now + 365 * 24 * hour };

decides("a date of creation that cannot be true, of a root or what goes on,", [
  ["brought along by a come-back", "hold, implausible-date, by old", absent, {}, ofBadRoot, byAge],
  ["no date of the service's counts", "drop, rule, by old", absent, { createdAt: 5 }, ofOldRoot, byAge],
  ["released", due, byPerson, yearAhead, none, byAge],
  ["released, but for a drop", "hold, implausible-date, by old", byPerson, { createdAt: 5 }, none, byAge],
  ["in doubt", again, open, yearAhead, none, byAge],
  ["in doubt, but for a drop", "hold, outcome-unknown, by old", open, { createdAt: 5 }, none, byAge],
]);

const byRules = { state: "parked", reason: "rule", drain: name } as const;
const parked = { ...byRules, rulesHash: "h1", attempt: 0, suffix: 1 };
const pastHorizon = { ...open, pastHorizon: true };
const elsewhere = { ...parked, rulesHash: "h0", drain: "other" as DrainName };
const spent = "park, outcome-unknown";
const releasedOpen = { ...open, released: "by-person" } as const;
const often = { ...byPerson, attempt: 7 };
const once = { ...listedAgain, attempt: 1 };
const coolingAhead = { ...cool, dueAt: now + hour + 5_000 };
const cooling = { ...cool, dueAt: now + 5_000, refusedAlone: 1 };

decides("a record that the ledger knows", [
  ["published", "settle, published-before", publishedView],
  ["gone", "settle, published-before", { state: "gone", at: 0 }],
  ["in a worker's hands", "hold, in-flight", { ...open, unknown: false }],
  ["in doubt, however young", again, open, entered(1_000)],
  ["in doubt, and parked by rules", "hold, outcome-unknown, by broken", open, failed(422)],
  ["in doubt past its horizon, by policy", spent, pastHorizon, {}, none, { unknownOutcome: "park" }],
  ["four attempts of five may have been accepted", again, inDoubt(4, 0), {}, none, max(5)],
  ["five of five", spent, inDoubt(5, 0), {}, none, max(5)],
  ["three, and two were counted", spent, inDoubt(3, 2), {}, none, max(5)],
  ["one new series it always may", again, inDoubt(1, 0), {}, none, max(1)],
  ["no second one", spent, inDoubt(2, 0), {}, none, max(1)],
  ["however many before its horizon", again, { ...open, series: { ...open.series, doubts: 8 } }],
  // Under the same rules too: what they say may turn with the time.
  ["parked by rules", due, parked],
  ["parked by older rules", due, { ...parked, rulesHash: "h0" }],
  ["parked by rules of another drain", "park, rule", elsewhere],
  ["parked by something else", "park, refused", { ...parked, rulesHash: "h0", reason: "refused" }],
  ["released after all attempts", due, often],
  ["released, and parked by rules", "republish, due, by broken", often, failed(422)],
  ["released, however young", due, often, entered(1_000)],
  ["released after 'never again'", "republish, due, by all", often, never, none, broadly],
  ["released, in doubt: not spent", "republish, reconcile, by broken", releasedOpen, failed(422)],
  ["released, of no rule", "hold, otherwise, in 7200000", often, failed(404)],
  ["listed again", due, once],
  ["listed again, and parked by rules", "park, rule, by broken", once, failed(422)],
  ["listed again after all attempts", exhausted, { ...once, attempt: 2 }],
  ["cooling", "hold, cooling, in 5000", cooling],
  ["cooled", due, { ...cooling, dueAt: now }],
  // By the clock that passes and plans go by, also if the ledger's is ahead of it.
  ["cooling by another clock", "hold, cooling, in 5000", coolingAhead, {}, none, {}, now + hour],
]);
