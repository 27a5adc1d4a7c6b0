import { describe, expect, it } from "vitest";
import type { RecordedFailure } from "../../../../src/job/contracts/failures.ts";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { recordedFailure, standingFailure as failure } from "../../../support/failures.ts";
import { drain, noticeFacts, startMs, type GivenFacts } from "../../../support/notice-facts.ts";
import { toNotices, type NoticeMemory } from "../../../../src/people/notices/to-notices.ts";

const origin = "https://pay.example.com";
const dayMs = 86_400_000;

const kind = (id: string, more: Partial<RecordedFailure> = {}) => recordedFailure(id, startMs, more);

const hour = (hours: number): string => String(Math.floor(startMs / 3_600_000) + hours);

/** Evaluates one after the other, `seconds` from the start, and answers what each had to tell. */
function tell(...steps: readonly (readonly [seconds: number, given: GivenFacts])[]) {
  let memory: NoticeMemory | null = null;
  return steps.map(([seconds, given]) => {
    const { news, after } = toNotices(memory, noticeFacts(given), startMs + seconds * 1_000);
    // As Redis gives it back.
    memory = JSON.parse(JSON.stringify(after)) as NoticeMemory;
    return news.map(([event, items]) => ({ event, items }));
  });
}

const arrived = (count: number, lastArrivedAt = startMs) => ({
  failures: [failure("aa", { arrived: count, lastArrivedAt })],
});

function causeOf(one: RecordedFailure) {
  const failures = [failure(one.id, { arrived: 11, lastArrivedAt: startMs })];
  return tell([0, { failures, kinds: new Map([[one.id, one]]) }])[0]?.[0]?.items[0]?.cause;
}

const later = (days: number): number => startMs + days * dayMs;

const lane = (id: string, host: string, nextAt: number | null = null) => ({
  lane: id,
  drain,
  origin: `https://${host}`,
  nextAt,
  why: "4 of 5 failed again, 503",
});

const parked = (...counts: number[]) => ({
  failures: counts.map((count, index) => failure(`f${index}`, { parked: count })),
});

/** What each step tells, as one line. */
const events = (told: ReturnType<typeof tell>): string =>
  told.map((news) => news.map(({ event }) => event).join(" ") || "-").join(", ");

describe("a backlog", () => {
  it("begins at once with ten, and is told once with its destination and cause", () => {
    const failures = [failure("aa", { waiting: 9 }), failure("bb", { waiting: 3 })];
    const told = tell([0, {}], [5, { waiting: 12, failures }], [10, { waiting: 12, failures }]);
    expect(events(told)).toBe("-, backlog.began, -");
    expect(told[1]?.[0]?.items).toEqual([
      { drain, destination: origin, cause: "503 upstream down", failure: "aa", count: 12 },
    ]);
  });

  it("that begins before everything was counted says so", () => {
    const told = tell([0, {}], [5, { waiting: 12, stillCounting: true }]);
    expect(told[1]?.[0]?.items[0]).toMatchObject({ count: 12, figures: { stillCounting: 1 } });
  });

  it("of fewer begins if they stay for ten seconds", () => {
    const one = { waiting: 1 };
    expect(events(tell([0, {}], [5, one], [10, one], [15, one]))).toBe("-, -, -, backlog.began");
    expect(events(tell([0, {}], [5, one], [10, {}], [15, one], [20, one]))).toBe("-, -, -, -, -");
  });

  it("ends within ten seconds, with what was done since nothing waited", () => {
    const told = tell(
      [0, { published: 100, failedAgain: 7, parked: 1 }],
      [5, { published: 100, failedAgain: 7, parked: 1, waiting: 40 }],
      [305, { published: 130, failedAgain: 9, parked: 1, waiting: 10 }],
      [310, { published: 139, failedAgain: 9, parked: 2 }],
      [315, { published: 139, failedAgain: 9, parked: 2 }],
      [320, { published: 139, failedAgain: 9, parked: 2 }],
    );
    expect(events(told)).toBe("-, backlog.began, -, -, backlog.ended, -");
    expect(told[4]?.[0]?.items[0]).toMatchObject({
      count: 39,
      figures: { published: 39, failedAgain: 2, parked: 1, durationMs: 305_000 },
    });
  });

  it("that is empty for a moment is not over", () => {
    const told = tell([0, { waiting: 40 }], [5, {}], [7, { waiting: 1 }], [12, {}], [17, {}]);
    expect(events(told)).toBe("backlog.began, -, -, -, backlog.ended");
  });

  it("is none if rules hold all of it, so a later one is told again", () => {
    const held = { waiting: 3, heldByRules: 3 };
    const told = tell([0, held], [30, held], [60, { waiting: 53, heldByRules: 3 }], [65, held], [130, held]);
    expect(events(told)).toBe("-, -, backlog.began, -, backlog.ended");
    expect(told[4]?.[0]?.items[0]?.figures).toMatchObject({ heldByRules: 3 });
    expect(events(tell([0, { waiting: 53 }], [5, held], [10, { waiting: 50 }]))).toBe("backlog.began, -, -");
  });
});

describe("a backlog of which records may have been skipped", () => {
  it("ends when a full pass has listed everything", () => {
    const unsure = { mayHaveSkipped: true };
    const told = tell([0, { waiting: 40 }], [5, unsure], [60, unsure], [65, {}], [70, {}]);
    expect(events(told)).toBe("backlog.began, -, -, -, backlog.ended");
  });
});

describe("what does not go by itself", () => {
  const poison = { waiting: 2, leftAlone: { forPerson: 1, cooling: 1 } };

  it("holds the end of a backlog back for a minute only, and its notice counts it", () => {
    const told = tell([0, { waiting: 40 }], [5, poison], [60, poison], [65, poison], [70, poison]);
    expect(events(told)).toBe("backlog.began, -, -, backlog.ended, -");
    expect(told[3]?.[0]?.items[0]?.figures).toMatchObject({ forPerson: 1, cooling: 1 });
    expect(told[3]?.[0]?.items[0]?.figures).not.toHaveProperty("heldByRules");
  });

  it("is no backlog, and is no part of the next one's begin", () => {
    const more = { ...poison, waiting: 12 };
    expect(events(tell([0, poison], [30, poison], [60, more]))).toBe("-, -, backlog.began");
  });
});

describe("a new failure", () => {
  it("that stands for others, or had no answer, is told as redriver failures lists it", () => {
    const others = kind("other", { status: null, text: "other failures" });
    const unanswered = kind("bb", { status: null, text: "(empty)" });
    expect([others, unanswered].map(causeOf)).toEqual(["other failures", "no answer"]);
  });

  it("is told with its tenth arrival, and once", () => {
    const told = tell([0, arrived(4)], [5, arrived(9)], [10, arrived(11)], [15, arrived(500)]);
    expect(events(told)).toBe("-, -, failure.new, -");
    expect(told[2]?.[0]?.items).toEqual([
      { drain, destination: origin, cause: "503 upstream down", failure: "aa", count: 11 },
    ]);
  });

  it("is told again with its tenth arrival after a week of silence, and not after six days", () => {
    const six = tell([0, arrived(20)], [6 * 86_400, arrived(40, later(6))]);
    expect(events(six)).toBe("failure.new, -");
    const eight = tell(
      [0, arrived(20)],
      [8 * 86_400, arrived(22, later(8))],
      [8 * 86_400 + 60, arrived(30, later(8) + 60_000)],
      [8 * 86_400 + 120, arrived(60, later(8) + 120_000)],
    );
    expect(events(eight)).toBe("failure.new, -, failure.new, -");
    expect(eight[2]?.[0]?.items[0]?.count).toBe(10);
  });

  it("is none if it was known before anybody was to be told", () => {
    const old = new Map([["aa", kind("aa", { firstMetAt: startMs - dayMs })]]);
    expect(events(tell([0, { ...arrived(500), kinds: old }], [5, { ...arrived(900), kinds: old }]))).toBe(
      "-, -",
    );
  });

  it("counts each dead letter once over drains, at least so many while a drain lists first, and several are one notice", () => {
    const failures = [failure("aa", { arrived: 10 }), failure("bb", { arrived: 30 })];
    const [told] = tell([0, { failures }]);
    expect(told).toHaveLength(1);
    expect(told?.[0]?.items.map((item) => item.failure)).toEqual(["aa", "bb"]);
    const ofTwo = { arrived: 12, again: { waiting: 0, parked: 0, arrived: 3, expires: {}, ruled: {} } };
    const { news } = toNotices(
      null,
      {
        ...noticeFacts({ failures: [] }),
        kinds: new Map([["aa", kind("aa")]]),
        drains: [
          ...noticeFacts({ failures: [failure("aa", { arrived: 4 })] }).drains,
          { ...noticeFacts({ failures: [failure("aa", ofTwo)] }).drains[0]!, drain: "b" as DrainName },
        ],
      },
      startMs,
    );
    expect(news[0]?.[1]).toMatchObject([{ drain: "b", count: 13 }]);
    expect(told?.[0]?.items.map(({ figures }) => figures)).toEqual([undefined, undefined]);
    const [early] = tell([0, { failures, isFirstListing: true }]);
    expect(early?.[0]?.items).toMatchObject([{ figures: { atLeast: 1 } }, { figures: { atLeast: 1 } }]);
  });

  it("says nothing while somebody works on it, and begins anew when that ends", () => {
    const owned = new Set(["aa"]);
    const taken = [
      [0, arrived(40)],
      [5, { ...arrived(60), owned }],
      [10, { ...arrived(90), owned }],
    ] as const;
    expect(events(tell(...taken))).toBe("failure.new, -, -");
    // It was resolved and came again, or was given back.
    const after = tell(...taken, [15, arrived(99)], [20, arrived(100)], [25, arrived(130)]);
    expect(events(after)).toBe("failure.new, -, -, -, failure.new, -");
    expect(after[4]?.[0]?.items[0]?.count).toBe(10);
    expect(events(tell([0, { ...arrived(2), owned }], [5, { ...arrived(40), owned }]))).toBe("-, -");
  });

  it("is told as expiring also if somebody works on it, and newly parked ones are not", () => {
    const held = { ...arrived(30), expiresAt: startMs + 3_600_000, owned: new Set(["aa"]) };
    expect(events(tell([0, held]))).toBe("expiring.soon");
    const owned = new Set(["f0"]);
    expect(events(tell([0, { ...parked(3), owned }], [5, { ...parked(9), owned }], [90, parked(9)]))).toBe(
      "-, -, -",
    );
  });

  it("says nothing while it is quiet, and speaks once when that ends", () => {
    const quiet = new Set(["aa"]);
    const never = [
      [0, { ...arrived(2), quiet }],
      [5, { ...arrived(40), quiet }],
    ] as const;
    expect(events(tell(...never))).toBe("-, -");
    expect(events(tell(...never, [10, arrived(41)], [15, arrived(60)]))).toBe("-, -, failure.new, -");
    const told = tell([0, arrived(12)], [5, { ...arrived(40), quiet }], [10, arrived(90)], [15, arrived(91)]);
    expect(events(told)).toBe("failure.new, -, failure.new, -");
  });

  it("survives counts that fall", () => {
    expect(events(tell([0, arrived(20)], [5, arrived(3)], [10, arrived(25)]))).toBe("failure.new, -, -");
  });
});

describe("destinations", () => {
  const a = lane("1", "a.example.com", startMs + 300_000);
  const b = lane("2", "b.example.com");

  it("that halt are told with what halted them, not with what waits most there", () => {
    const destinations = [{ origin: "https://a.example.com", waiting: 60 }];
    const at = { origin: "https://a.example.com" };
    const kinds = new Map([
      ["many", kind("many", { ...at, status: 429, text: "slow down" })],
      ["few", kind("few", { ...at, status: 503 })],
    ]);
    const failures = [failure("many", { waiting: 50 }), failure("few", { waiting: 10 })];
    const [told] = tell([0, { failures, kinds, destinations, halted: [a] }]);
    const figures = { nextProbeAt: startMs + 300_000 };
    const item = { cause: "4 of 5 failed again, 503", failure: "few", count: 60, figures };
    expect(told?.[0]?.items).toMatchObject([item]);
    const [none] = tell([0, { failures: [failures[0]!], kinds, destinations, halted: [a] }]);
    expect(none?.[0]?.items).toMatchObject([{ ...item, failure: null }]);
  });

  it("resume with what had halted them, if nothing waits there any more", () => {
    const failures = [failure("aa", { waiting: 6 })];
    const kinds = new Map([["aa", kind("aa", { origin: "https://a.example.com" })]]);
    const told = tell([0, { failures, kinds, halted: [a] }], [5, {}]);
    expect(told[1]?.[0]?.items).toMatchObject([
      { destination: "https://a.example.com", cause: "4 of 5 failed again, 503", failure: "aa", count: 0 },
    ]);
  });

  it("beyond those that were read have not resumed", () => {
    const told = tell(
      [0, { halted: [a, b] }],
      [5, { halted: [b], isHaltedWhole: false }],
      [10, { halted: [b] }],
    );
    expect(events(told)).toBe("destination.halted, -, destination.resumed");
  });
});

describe("parks", () => {
  it("are told together once no more come, and only the new ones", () => {
    const told = tell(
      [0, parked(5)],
      [5, parked(8)],
      [10, parked(9, 1)],
      [20, parked(9, 1)],
      [30, parked(9, 1)],
    );
    expect(events(told)).toBe("-, -, -, -, parked.new");
    expect(told[4]?.[0]?.items.map(({ failure: id, count }) => [id, count])).toEqual([
      ["f0", 4],
      ["f1", 1],
    ]);
  });

  it("that go on for a minute are told then", () => {
    const steps = Array.from({ length: 14 }, (_, index) => [index * 5, parked(index)] as const);
    const told = tell(...steps).flatMap((news, index) => (news.length > 0 ? [index * 5] : []));
    expect(told).toEqual([65]);
  });

  it("of a quiet kind are no news", () => {
    const quiet = new Set(["f0"]);
    const told = tell([0, {}], [5, { ...parked(3, 1), quiet }], [30, { ...parked(3, 1), quiet }]);
    expect(told[2]?.[0]?.items.map((item) => item.failure)).toEqual(["f1"]);
  });

  it("that a person released meanwhile are no news", () => {
    expect(events(tell([0, {}], [5, parked(3)], [10, {}], [40, {}]))).toBe("-, -, -, -");
  });
});

describe("what expires", () => {
  const soon = { waiting: 4, expiresAt: startMs + 3 * 3_600_000 };

  it("is told once a day, and again after it was over", () => {
    const told = tell([0, soon], [60, soon], [86_460, { ...soon, expiresAt: startMs + 25 * 3_600_000 }]);
    expect(events(told)).toBe("expiring.soon, backlog.began, expiring.soon");
    const over = tell([0, { ...soon, heldByRules: 4 }], [60, {}], [120, { ...soon, heldByRules: 4 }]);
    expect(events(over)).toBe("expiring.soon, -, expiring.soon");
  });

  it("is told earlier if the drain's beforeExpiry is, and not of what has long to live", () => {
    const in20h = { waiting: 4, heldByRules: 4, expiresAt: startMs + 20 * 3_600_000 };
    expect(events(tell([0, in20h]))).toBe("-");
    expect(events(tell([0, { ...in20h, nearMs: 24 * 3_600_000 }]))).toBe("expiring.soon");
  });

  it("is told with the kind that expires, and how many, not with what waits most", () => {
    const failures = [
      failure("many", { waiting: 900, expires: { [hour(60)]: 900 } }),
      failure("old", { waiting: 40, parked: 3, expires: { [hour(-2)]: 1, [hour(3)]: 5, [hour(30)]: 37 } }),
    ];
    const kinds = new Map([
      ["many", kind("many")],
      ["old", kind("old", { status: 502, text: "gone", origin: "https://old.example.com" })],
    ]);
    const held = { waiting: 940, heldByRules: 940, expiresAt: startMs + 3 * 3_600_000 };
    const [told] = tell([0, { ...held, failures, kinds }]);
    expect(told?.[0]?.items).toEqual([
      {
        drain,
        destination: "https://old.example.com",
        cause: "502 gone",
        failure: "old",
        count: 5,
        figures: { expiresAt: held.expiresAt },
      },
    ]);
  });

  it("without a copy is told by count", () => {
    expect(tell([0, { uncopied: 7 }])[0]?.[0]).toMatchObject({
      event: "expiring.soon",
      items: [{ drain: null, count: 7 }],
    });
  });
});

it("nothing is told of a source that stays as it is, and its memory does not change", () => {
  const given = {
    waiting: 30,
    failures: [failure("aa", { arrived: 30, waiting: 30, lastArrivedAt: startMs })],
  };
  const first = toNotices(null, noticeFacts(given), startMs);
  const second = toNotices(first.after, noticeFacts(given), startMs + 5_000);
  expect(second.news).toEqual([]);
  expect(JSON.stringify(second.after)).toBe(JSON.stringify(first.after));
});
