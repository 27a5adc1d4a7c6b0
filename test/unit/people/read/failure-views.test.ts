import { describe, expect, it } from "vitest";
import type {
  FailureMark,
  FailureQuiet,
  RecordedFailure,
  StandingFailure,
} from "../../../../src/job/contracts/failures.ts";
import type { DrainName, SourceId } from "../../../../src/job/contracts/ids.ts";
import { isCurrent, quietEnd, toFailureViews } from "../../../../src/people/read/failure-views.ts";

const now = 1_760_000_000_000;
const dayMs = 86_400_000;
const eu = "eu" as SourceId;
const [orders, refunds] = ["orders", "refunds"] as unknown as readonly [DrainName, DrainName];

const recorded = (id: string, firstMetAt: number): RecordedFailure => ({
  id,
  origin: "https://a.example.com",
  status: 503,
  text: id,
  drain: orders,
  sample: null,
  firstMetAt,
  lastMetAt: now,
});
const standing = (id: string, more: Partial<StandingFailure> = {}): StandingFailure => ({
  id,
  waiting: 0,
  parked: 0,
  arrived: 0,
  published: 0,
  failedAgain: 0,
  lastArrivedAt: null,
  largestHour: 0,
  ruled: {},
  expires: {},
  oldestAt: null,
  since: null,
  ...more,
});
const quiet: FailureQuiet = {
  until: "changed",
  largestHour: 30,
  ruled: ["republish outage"],
  by: "ann",
  at: now,
};
const mark = (more: Partial<FailureMark>): FailureMark => ({
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
  readonly drain?: DrainName;
}

function viewsOf({ failures, of, marks = {}, selected, drain }: Given) {
  const drains = Object.entries(of).map(([name, own]) => ({
    drain: name,
    source: eu,
    facts: { failures: own, seen: selected === undefined ? null : { a: 4 } },
  }));
  const sources = [{ source: eu, failures, census: selected && { selected: { orders: selected } } }];
  const facts = { drains, sources } as unknown as Parameters<typeof toFailureViews>[0]["facts"];
  const all = new Map(Object.entries(marks));
  return toFailureViews({ facts, marksOf: () => all, now, ...(drain === undefined ? {} : { drain }) });
}

describe("kinds of failure", () => {
  it("come by trouble: those of a day first, noted or not, then most waiting or parked, quiet ones last", () => {
    const old = now - 2 * dayMs;
    const views = viewsOf({
      failures: [
        recorded("parked", old),
        recorded("quiet", now - 1),
        recorded("noted", now - 1),
        recorded("new", now - 1),
        recorded("most", old),
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

  it("are counted over all drains, or over one", () => {
    const of = {
      orders: [standing("a", { waiting: 3, published: 5, lastArrivedAt: now - 9, ruled: { "park b": 1 } })],
      refunds: [standing("a", { waiting: 4, parked: 2, lastArrivedAt: now - 7, ruled: { "park b": 2 } })],
    };
    const failures = [recorded("a", now), recorded("b", now)];
    const [both] = viewsOf({ failures, of });
    expect(both).toMatchObject({
      waiting: 7,
      parked: 2,
      published: 5,
      lastSeenAt: now - 7,
      ruled: { "park b": 3 },
    });
    const one = viewsOf({ failures, of, drain: orders });
    expect(one).toMatchObject([{ id: "a", waiting: 3, parked: 0, lastSeenAt: now - 9 }]);
    expect(viewsOf({ failures, of, drain: refunds })[0]?.drains).toHaveLength(1);
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
