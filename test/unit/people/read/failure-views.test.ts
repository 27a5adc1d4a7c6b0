import { toFailureTable } from "../../../../src/people/cli/failures/command.ts";
import { toAsText } from "../../../../src/people/operations/failures/state-text.ts";
import { describe, expect, it } from "vitest";
import type {
  FailureMark,
  FailureOwner,
  FailureQuiet,
  RecordedFailure,
  StandingFailure,
} from "../../../../src/job/contracts/failures.ts";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import { toOwnersByOrigin } from "../../../../src/people/read/owners.ts";
import { recordedFailure, standingFailure as standing } from "../../../support/failures.ts";
import { isCurrent, quietEnd, toFailureViews } from "../../../../src/people/read/failure-views.ts";

const now = 1_760_000_000_000;
const dayMs = 86_400_000;
const eu = "eu" as SourceId;
const refunds = "refunds" as DrainName;

const recorded = (id: string, firstMetAt: number) => recordedFailure(id, firstMetAt, { lastMetAt: now });
const quiet: FailureQuiet = {
  until: "changed",
  largestHour: 30,
  ruled: ["republish outage"],
  by: "ann",
  at: now,
};
const mark = (more: Partial<FailureMark>): FailureMark => ({
  owner: null,
  note: null,
  quiet: null,
  forgotten: null,
  ...more,
});

interface Given {
  readonly failures: readonly RecordedFailure[];
  readonly of: Readonly<Record<string, readonly StandingFailure[]>>;
  readonly marks?: Readonly<Record<string, FailureMark>>;
  /** What the census counted of `orders`, before its first full pass has ended. */
  readonly selected?: Readonly<Record<string, number>>;
  readonly ofNoDrain?: readonly object[];
  readonly drain?: DrainName;
  /** Of each drain. */
  readonly facts?: object;
  readonly isCounting?: boolean;
}

function viewsOf({
  failures,
  of,
  marks = {},
  selected,
  ofNoDrain,
  drain,
  facts: more,
  isCounting = false,
}: Given) {
  const drains = Object.entries(of).map(([name, own]) => ({
    drain: name,
    source: eu,
    facts: { failures: own, seen: selected === undefined ? null : { a: 4 }, lastSuccessAt: now, ...more },
    stillCounting: isCounting,
  }));
  const sources = [
    { source: eu, failures, census: { selected: { orders: selected ?? {} }, unselectedKinds: ofNoDrain } },
  ];
  const facts = { drains, sources } as unknown as Parameters<typeof toFailureViews>[0]["facts"];
  const all = new Map(Object.entries(marks));
  return toFailureViews({ facts, marksOf: () => all, now, ...(drain === undefined ? {} : { drain }) });
}

describe("kinds of failure", () => {
  it("count each record once over drains, and all that one drain lists if it is asked for", () => {
    const again = { waiting: 8, parked: 4, arrived: 30, expires: {}, ruled: {} };
    const [early, late] = [
      { lastArrivedAt: now - 9, ruled: { "park b": 1 } },
      { lastArrivedAt: now - 7, ruled: { "park b": 2 } },
    ];
    const of = {
      orders: [standing("a", { waiting: 98, parked: 4, arrived: 119, published: 17, ...late })],
      refunds: [standing("a", { waiting: 9, parked: 4, arrived: 36, published: 2, again, ...early })],
    };
    const failures = [recorded("a", now), recorded("b", now)];
    const [all] = viewsOf({ failures, of });
    const sums = { waiting: 99, parked: 4, arrived: 125, published: 19, ruled: { "park b": 3 } };
    expect(all).toMatchObject({ ...sums, lastSeenAt: now - 7 });
    const [one, ...others] = viewsOf({ failures, of, drain: refunds });
    const own = { waiting: 9, parked: 4, arrived: 36, published: 2, lastSeenAt: now - 9 };
    expect([one, one?.drains.length, others]).toMatchObject([own, 1, []]);
  });

  it("are lower bounds in lists while a drain is counted for the first time", () => {
    const of = { orders: [standing("a", { waiting: 12, published: 3 })] };
    const rowOf = (isCounting: boolean) =>
      toFailureTable(Infinity, viewsOf({ failures: [recorded("a", 0)], of, isCounting }), now).split("\n")[1];
    expect(rowOf(true)).toMatch(/ 12\+ +- +0 +3 /);
    expect(rowOf(false)).toMatch(/ 12 +0 +0 +3 /);
  });

  it("come by trouble: those of a day first, noted or not, then most waiting or parked, quiet ones last", () => {
    const old = now - 2 * dayMs;
    const views = viewsOf({
      failures: [
        ...["parked", "most"].map((id) => recorded(id, old)),
        ...["quiet", "noted", "new"].map((id) => recorded(id, now - 1)),
      ],
      of: {
        orders: [
          standing("quiet", { waiting: 900 }),
          standing("most", { waiting: 50 }),
          standing("noted", { waiting: 3 }),
          standing("new", { waiting: 1 }),
          standing("parked", { parked: 9 }),
        ],
      },
      marks: {
        quiet: mark({ quiet }),
        noted: mark({ note: { text: "known", ticket: "", by: "ann", at: now } }),
      },
    });
    expect(views.map(({ id, isNew, isQuiet }) => [id, isNew, isQuiet])).toEqual([
      ["noted", false, false],
      ["new", true, false],
      ["most", false, false],
      ["parked", false, false],
      ["quiet", false, true],
    ]);
  });

  it("wait from the census on, less what the first full pass has listed", () => {
    const selected = { a: 10, b: 3 };
    const failures = [recorded("a", now), recorded("b", now)];
    const views = viewsOf({ failures, of: { orders: [standing("a", { waiting: 4 })] }, selected });
    expect(views.map(({ id, waiting, drains }) => [id, waiting, drains[0]?.unseen])).toEqual([
      ["a", 10, 6],
      ["b", 3, 3],
    ]);
  });

  it("that are forgotten are there as long as somebody's mark is", () => {
    const forgotten = { ...recorded("a", now - 9 * dayMs), lastMetAt: now - 2 * dayMs };
    const [view] = viewsOf({ failures: [], of: {}, marks: { a: mark({ quiet, forgotten }) } });
    expect(view).toMatchObject({ id: "a", waiting: 0, isQuiet: true, lastSeenAt: forgotten.lastMetAt });
    expect(isCurrent(view!, now)).toBe(false);
  });
});

describe("a quiet", () => {
  const as = { largestHour: 30, ruled: { "republish outage": 9 } };
  it.each([
    ["until it changes", quiet, as, null],
    ["with twice as many in an hour", quiet, { ...as, largestHour: 60 }, null],
    ["with more", quiet, { ...as, largestHour: 61 }, "arrivals"],
    ["while a rule decides none any more", quiet, { ...as, ruled: {} }, null],
    ["under another rule", quiet, { ...as, ruled: { ...as.ruled, "park outage": 1 } }, "rules"],
    ["of before any was decided", { ...quiet, ruled: [] }, as, null],
    ["until a time to come", { ...quiet, until: now + 1 }, { ...as, largestHour: 99 }, null],
    ["until a time that is over", { ...quiet, until: now }, as, "time"],
  ] as const)("%s", (_, given, is, end) => {
    expect(quietEnd(given, is, now)).toBe(end);
  });
});

it("what failed again is told with what it is now", () => {
  const as = [
    { id: "c", origin: "", status: 503, text: "", count: 3 },
    { id: "b", origin: "", status: null, text: "", count: 2 },
  ];
  expect(toAsText({ failedAgain: 6, failedAgainAs: as })).toBe("(3 as 503, 2 as no answer)");
  expect(toAsText({ failedAgain: 3, failedAgainAs: as.slice(0, 1) })).toBe("(as 503)");
});

describe("who works on a kind", () => {
  const minuteMs = 60_000;
  const ago = (minutes: number): number => now - minutes * minuteMs;
  const priya = (minutes: number) => ({ name: "priya", at: ago(minutes) });
  const waits = { waiting: 3, lastMovedAt: ago(1) };
  const empty = { lastMovedAt: ago(16) };

  const back = (minutes: number) => ({ ...waits, reopenedAt: ago(minutes) });
  it.each<
    [what: string, of: Record<string, object | null>, state: string, more?: Partial<Given>, worker?: object]
  >([
    ["it waits, and nobody works on it", { orders: waits }, "open"],
    ["it waits, and somebody works on it", { orders: waits }, "acknowledged", {}, priya(5)],
    ["all of it is parked", { orders: { ...empty, parked: 1 } }, "open"],
    ["nothing is there or moved for 16 minutes", { orders: empty }, "resolved", {}, priya(60)],
    ["nothing is there, and one went 14 minutes ago", { orders: { lastMovedAt: ago(14) } }, "open"],
    ["no pass has looked since", { orders: empty }, "open", { facts: { lastSuccessAt: ago(2) } }],
    ["no pass has ever ended", { orders: empty }, "open", { facts: { lastSuccessAt: null } }],
    ["a listing may have passed over some", { orders: empty }, "open", { facts: { mayHaveSkipped: true } }],
    ["nothing is there so far of a drain that counts", { orders: empty }, "open", { isCounting: true }],
    ["nothing is there in one drain, and some waits in another", { orders: empty, refunds: waits }, "open"],
    ["it came again, and somebody works on it since", { orders: back(10) }, "acknowledged", {}, priya(9)],
    ["it came again, and somebody had worked on it before", { orders: back(10) }, "open", {}, priya(11)],
    [
      "it came again beside a drain where it waited",
      { orders: back(10), refunds: waits },
      "acknowledged",
      {},
      priya(30),
    ],
    ["it came again in both drains", { orders: back(10), refunds: back(9) }, "open", {}, priya(30)],
    ["it came again in two, later in one", { orders: back(10), refunds: back(60) }, "open", {}, priya(61)],
    ["nothing has counted it for a week", { orders: null }, "open"],
    ["its only drain is not in the document", { refunds: null }, "open"],
  ])("%s: %j is %s", (_what, drains, state, more = {}, worker) => {
    const owner = (worker ?? null) as FailureOwner | null;
    const of = Object.fromEntries(
      Object.entries(drains).map(([name, is]) => [name, is === null ? [] : [standing("a", is)]]),
    );
    const [view] = viewsOf({
      failures: [recorded("a", ago(90))],
      of,
      marks: { a: mark({ owner }) },
      ...more,
    });
    const isOwned = state !== "open";
    expect(view).toMatchObject({ state, owner: isOwned ? owner : null, isNew: !isOwned });
  });

  it("is resolved if no drain counts it any more, and it was not met since", () => {
    const kind = { ...recorded("a", ago(90)), lastMetAt: ago(16) };
    expect(viewsOf({ failures: [kind], of: { orders: [] } })).toMatchObject([{ state: "resolved" }]);
    const ofNoDrain = [{ id: kind.id, count: 1 }];
    expect(viewsOf({ failures: [kind], of: { orders: [] }, ofNoDrain })).toMatchObject([{ state: "open" }]);
    expect(viewsOf({ failures: [kind], of: { refunds: [] } })).toMatchObject([{ state: "open" }]);
  });

  it("is shown where all that a destination has is worked on", () => {
    const kinds = ["a", "b", "c"].map((id) =>
      recordedFailure(id, 0, { origin: `https://${id === "c" ? id : "a"}.example.com` }),
    );
    const [ann, bob] = [priya(3), { ...priya(2), name: "bob" }];
    const of = (...owned: readonly (readonly [string, FailureOwner])[]) =>
      toOwnersByOrigin(
        [standing("a", waits), standing("b", { parked: 1 }), standing("c")],
        kinds,
        new Map(owned),
      );
    expect(of()).toEqual(new Map());
    const some = { owners: [], ownersOfKinds: [{ ...ann, failure: "a" }] };
    expect(of(["a", ann])).toEqual(new Map([["https://a.example.com", some]]));
    expect(of(["a", ann], ["b", ann], ["c", bob])).toEqual(
      new Map([["https://a.example.com", { owners: [ann], ownersOfKinds: [] }]]),
    );
    expect(of(["a", ann], ["b", bob])).toEqual(
      new Map([["https://a.example.com", { owners: [ann, bob], ownersOfKinds: [] }]]),
    );
  });
});
