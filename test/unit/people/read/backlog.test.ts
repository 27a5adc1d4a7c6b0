import { describe, expect, it } from "vitest";
import type { DrainFacts } from "../../../../src/job/contracts/passes.ts";
import { toDepth as depthOf } from "../../../../src/people/read/depth.ts";
import { countsByKind, isStillCounting, toDestinations } from "../../../../src/people/read/counts-by-kind.ts";
import { toLeftAlone, toOutlook, type DestinationOutlook } from "../../../../src/people/read/outlook.ts";
import { standingFailure } from "../../../support/failures.ts";
import type { LaneStanding } from "../../../../src/people/read/lane-standings.ts";

const kinds = [
  { id: "a5", origin: "https://a.example" },
  { id: "a4", origin: "https://a.example" },
  { id: "b5", origin: "https://b.example" },
];
const { id: _id, ...nothing } = standingFailure("");
const none = { ...nothing, failingSince: null };

type Source = Parameters<typeof depthOf>[0];

const toDepth = (of: Source, drains: Parameters<typeof depthOf>[1]) => depthOf(of, drains, null);

const depth = (count: number, exact: boolean, stillCounting: boolean) => ({ count, exact, stillCounting });

const source = (changes: object): Source =>
  ({ summary: { pendingDelete: 5, gone: 100 }, census: null, ...changes }) as unknown as Source;

const drain = (waiting: number, facts: Partial<DrainFacts>) => ({
  destinations: [{ origin: "o", unseen: 0, ...none, waiting, parked: 10 }],
  facts: { gone: null, exact: true, lastFullAt: 1_000, ...facts } as DrainFacts,
  stillCounting: facts.gone !== undefined,
  selectsEverything: true,
});

const laned = (state: LaneStanding["state"], nextInMs = 0): LaneStanding => ({
  state,
  sinceMs: 1,
  why: null,
  lastProbeAt: null,
  size: 5,
  sent: 0,
  nextInMs,
  isSuspect: false,
});

const to = (origin: string, waiting: number, lane: LaneStanding | null = null): DestinationOutlook => ({
  ...none,
  origin,
  unseen: 0,
  waiting,
  lane,
  isPaused: false,
});

const facts = (pace: DrainFacts["pace"], held: DrainFacts["reasons"]["held"] = {}) => ({
  pace,
  backlog: { at: 1, published: 600 },
  reasons: { due: {}, held, parked: {} },
  gone: null,
  lastFullAt: 1_000,
});

describe("what a drain leaves alone", () => {
  it("is what waits for a person, and single messages that cool; not what only waits for its attempt", () => {
    const held = { otherwise: 3, "attempts-exhausted": 1, "refused-alone": 1, cooling: 1, waiting: 5 };
    expect(toLeftAlone(facts({}, held), 11)).toEqual({ forPerson: 1, cooling: 2 });
    expect(toLeftAlone(facts({}, held), 5)).toEqual({ forPerson: 1, cooling: 1 });
    expect(toLeftAlone(facts({}, held), 2)).toEqual({ forPerson: 0, cooling: 0 });
    expect(toLeftAlone(null, 4)).toEqual({ forPerson: 0, cooling: 0 });
  });

  it("is none of ten or more that cool: the service refuses, and they go when it accepts again", () => {
    expect(toLeftAlone(facts({}, { cooling: 10 }), 10)).toEqual({ forPerson: 0, cooling: 0 });
  });
});

const destinationsOf = (of: Pick<DrainFacts, "failures" | "gone"> | null, selected: object) => {
  const one = { drain: "orders", facts: of, stillCounting: false };
  const counts = countsByKind({ census: { selected: { orders: selected } } } as never, [one] as never, 0);
  return toDestinations([...counts.values()].flat(), kinds);
};

describe("destinations", () => {
  it("sum the kinds of failure of each, the most waiting first", () => {
    const failures = [
      { ...none, id: "a5", waiting: 7, parked: 1 },
      { ...none, id: "a4", waiting: 2, published: 5, failedAgain: 1 },
      { ...none, id: "b5", waiting: 20 },
      { ...none, id: "gone", waiting: 3 },
    ];
    expect(destinationsOf({ failures, gone: null }, { a5: 99 })).toMatchObject([
      { origin: "https://b.example", waiting: 20 },
      { origin: "https://a.example", waiting: 9, unseen: 0, parked: 1, published: 5, failedAgain: 1 },
      { origin: "(other)", waiting: 3 },
    ]);
  });
});

describe("a drain is still being counted", () => {
  it.each([
    ["before its first pass", null, undefined, true],
    ["during its first full pass", { gone: {} }, undefined, true],
    ["not after that", { gone: null }, undefined, false],
    ["not if a census has counted it", { gone: {} }, {}, false],
  ])("%s", (_name, seen, selected, expected) => {
    expect(isStillCounting(seen, selected)).toBe(expected);
  });
});

describe("the depth of a source", () => {
  it("is what drains left, what is parked, and what is still to be deleted", () => {
    expect(toDepth(source({}), [drain(85, {})])).toEqual(depth(100, true, false));
    expect(toDepth(source({}), [drain(85, { exact: false })])).toEqual(depth(100, false, false));
  });

  it("is at least what a younger census counted, less deletes since", () => {
    const census = { at: 2_000, depth: 500, unselected: 3, goneBefore: 40 };
    expect(toDepth(source({ census }), [drain(85, {})])?.count).toBe(440);
    expect(toDepth(source({ census: { ...census, at: 900 } }), [drain(85, {})])?.count).toBe(103);
  });

  it("counts records once that several drains select", () => {
    const overlapping = [drain(85, {}), drain(20, {})];
    const census = { at: 900, depth: 102, unselected: 2 };
    const shared = { waiting: 20, parked: 5 };
    expect(depthOf(source({ census }), overlapping, shared)).toEqual(depth(107, true, false));
  });

  it("is at least what was listed so far, until a drain that selects everything or a census has counted", () => {
    const first = drain(85, { gone: {}, exact: false });
    // What was just published may still stand as waiting.
    expect(toDepth(source({}), [first])).toEqual(depth(95, false, true));
    const part = { ...drain(85, {}), selectsEverything: false };
    expect(toDepth(source({}), [part])).toEqual(depth(95, false, true));
    const census = { at: 900, depth: 500, unselected: 3, goneBefore: 100 };
    expect(toDepth(source({ census }), [first])).toEqual(depth(500, false, false));
  });

  it("is unknown before anything was counted", () => {
    const nothing = { destinations: [], facts: null, stillCounting: true, selectsEverything: true };
    expect(toDepth(source({}), [nothing])).toBeNull();
  });
});

const now = 1_000_000;
const aOrigin = "https://a.example";
const dead = (waiting: number) => to("https://dead.example", waiting, laned("halted", 60_000));

/** Of so many at a.example, beside others. `open`: sent, without proof. */
const outlookOf = (
  pace: DrainFacts["pace"],
  waiting: number,
  {
    held = {},
    beside = [],
    isFirst = false,
    open = 0,
    isAway = false,
  }: {
    readonly held?: DrainFacts["reasons"]["held"];
    readonly beside?: readonly DestinationOutlook[];
    readonly isFirst?: boolean;
    readonly open?: number;
    readonly isAway?: boolean;
  } = {},
) => {
  const moment = { stillCounting: isFirst, now, open, isAway };
  return toOutlook(facts(pace, held), [to(aOrigin, waiting), ...beside], moment);
};

describe("the outlook of a drain", () => {
  it("has the rate of the last minute, and how long what goes takes at that rate", () => {
    // Published from 940 s on; older slots do not count.
    const pace = { 80: 9_999, 94: 300, 95: 300, 99: 600 };
    const rate = { perSecond: 20, atRateMs: 20_000 };
    expect(outlookOf(pace, 400)).toMatchObject({ waiting: 400, going: 400, backlog: 1_000, ...rate });
    const none = { perSecond: null, atRateMs: null };
    expect(outlookOf(pace, 400, { isAway: true })).toMatchObject({ waiting: 400, ...none });
  });

  it("counts neither what is halted nor what rules hold as going", () => {
    const held = { rule: 30, otherwise: 20 };
    const counts = { waiting: 1_300, stoppedWaiting: 900, heldByRules: 50, going: 350, atRateMs: 35_000 };
    expect(outlookOf({ 94: 600 }, 400, { held, beside: [dead(900)] })).toMatchObject(counts);
  });

  it("counts what is of a paused kind as stopped, beside a halted and a paused destination", () => {
    const beside = [dead(300), { ...to("https://paused.example", 40), isPaused: true }];
    // 795 of a.example are of the kind that is paused.
    const held = { "lane-halted": 300, "host-paused": 835 };
    const counts = { waiting: 1_140, stoppedWaiting: 1_135, going: 5 };
    expect(outlookOf({ 99: 100 }, 800, { held, beside })).toMatchObject(counts);
  });

  it("does not count come-backs as going whose next attempt is later", () => {
    const held = { waiting: 28 };
    const none = { waiting: 28, waitingForAttempt: 28, going: 0, atRateMs: null };
    expect(outlookOf({ 99: 100 }, 28, { held })).toMatchObject(none);
    expect(outlookOf({ 99: 100 }, 30, { held })).toMatchObject({ going: 2 });
    // They are taken to be for the halted one.
    const beside = outlookOf({ 99: 100 }, 30, { held, beside: [dead(900)] });
    expect(beside).toMatchObject({ waitingForAttempt: 0, going: 30 });
  });

  it("does not count as going what only a person or a date of its own moves", () => {
    const held = { "implausible-date": 4, "attempts-exhausted": 2, "not-before": 10 };
    const counts = { waitingForPerson: 6, waitingForDate: 10, going: 0, atRateMs: null };
    expect(outlookOf({ 99: 100 }, 16, { held })).toMatchObject(counts);
    const beside = outlookOf({}, 16, { held, beside: [dead(5)] });
    expect(beside).toMatchObject({ waitingForPerson: 1, waitingForDate: 10 });
  });

  it("does not count as going what waits for the next day", () => {
    const due = { "day-limit": 30 };
    const paced = { ...facts({ 94: 600 }), reasons: { due, held: {}, parked: {} } };
    const moment = { stillCounting: false, now, open: 0, isAway: false };
    const outlook = toOutlook(paced, [to(aOrigin, 30)], moment);
    expect(outlook).toMatchObject({ waitingForDay: 30, going: 0, atRateMs: null });
  });

  it("does not count as going what was sent and waits for proof", () => {
    const [some, all] = [100, 400].map((open) => outlookOf({ 94: 600 }, 300, { open }));
    expect(some).toMatchObject({ waiting: 300, waitingForProof: 100, going: 200, atRateMs: 20_000 });
    expect(all).toMatchObject({ waiting: 300, waitingForProof: 300, going: 0, atRateMs: null });
  });

  it("knows no time while all that can go is still under way: none of it is taken", () => {
    const times = [40, 20].map(
      (count) => outlookOf({ 94: 300 }, 40, { held: { "still-under-way": count } }).atRateMs,
    );
    expect(times).toEqual([null, 8_000]);
  });

  it("does not count as going what the service refused a moment ago", () => {
    const held = { cooling: 3, "refused-alone": 2 };
    expect(outlookOf({ 94: 300 }, 25, { held })).toMatchObject({ waitingAfterRefusal: 5, going: 20 });
    expect(outlookOf({ 94: 300 }, 5, { held })).toMatchObject({ going: 0, atRateMs: null });
  });

  it.each([
    ["half a minute was measured", { 95: 300, 99: 300 }, { perSecond: 12, atRateMs: null }],
    ["a whole minute was", { 94: 300, 99: 300 }, { perSecond: 10, atRateMs: 60_000 }],
    // What is missing in that minute is no publish, and not a time that is not known.
    ["it published before that minute", { 90: 5, 99: 300 }, { perSecond: 5, atRateMs: 120_000 }],
    ["it published only before it", { 90: 5 }, { perSecond: null, atRateMs: null }],
    ["nothing was ever published", {}, { perSecond: null, atRateMs: null }],
  ])("knows its rate and how long that takes, if %s", (_name, pace, expected) => {
    expect(outlookOf(pace, 600)).toMatchObject(expected);
  });

  it("does not know how long it takes while the first count goes on", () => {
    const counts = { waiting: 400, perSecond: 15, atRateMs: null };
    expect(outlookOf({ 94: 300, 99: 600 }, 400, { isFirst: true })).toMatchObject(counts);
  });
});
