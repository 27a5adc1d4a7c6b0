import { describe, expect, test } from "vitest";
import { maxFailureKinds, type MetFailure } from "../../../../../src/job/contracts/failures.ts";
import type { RedisConnection } from "../../../../../src/job/redis/connect.ts";
import { createRedisFailureBook } from "../../../../../src/job/store/failures/redis-failure-book.ts";
import { createRedisFailureMarks } from "../../../../../src/job/store/failures/redis-failure-marks.ts";
import { drain, source, startOfTime, withMovedTime } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const dayMs = 86_400_000;

const toStand = (connection: RedisConnection) => ({
  book: createRedisFailureBook(connection, source),
  marks: createRedisFailureMarks(connection, source),
});

function create() {
  const { redis: moved, advance } = withMovedTime(redis.fresh());
  return { ...toStand(moved), advance, again: () => toStand(moved) };
}

const kind = (id: string, origin = "https://pay.example.com"): MetFailure => ({
  id,
  origin,
  status: 503,
  text: `answer of ${id}`,
  sample: `${startOfTime}-1`,
  othersId: `other-${origin.length}`,
});
/** Each of a destination of its own, unless one is given. */
const kinds = (count: number, toOrigin = (n: number) => `https://${"x".repeat(n)}.example.com`) =>
  Array.from({ length: count }, (_, n) => kind(`kind-${n}`, toOrigin(n)));
const quiet = { until: "changed", largestHour: 7, ruled: ["republish outage"], by: "ann" } as const;

describe("the kinds of failure of a source", () => {
  test("are recorded once, with the sample of their last meeting, and survive a restart", async () => {
    const { book, advance, again } = create();
    expect(await book.meet(drain, [kind("one")])).toEqual(new Map([["one", "one"]]));
    await advance(3_600_000);
    await book.meet(drain, [{ ...kind("one"), sample: "2-0" }]);
    await book.meet(drain, [{ ...kind("one"), sample: null, status: null }]);
    const { othersId: _others, ...recorded } = kind("one");
    expect(await again().book.all()).toEqual([
      { ...recorded, drain, sample: "2-0", firstMetAt: startOfTime, lastMetAt: startOfTime + 3_600_000 },
    ]);
  });

  test("are at most 500: the rest of a destination counts as its other failures", async () => {
    const { book } = create();
    const ids = await book.meet(
      drain,
      kinds(600, () => "https://pay.example.com"),
    );
    const counted = [...ids.values()];
    expect(counted.slice(0, maxFailureKinds)).toEqual([...ids.keys()].slice(0, maxFailureKinds));
    expect(new Set(counted.slice(maxFailureKinds))).toEqual(new Set(["other-23"]));
    const all = await book.all();
    expect(all).toHaveLength(maxFailureKinds + 1);
    expect(all.find(({ id }) => id === "other-23")).toMatchObject({
      origin: "https://pay.example.com",
      status: null,
      sample: null,
      text: "other failures",
    });
  });

  test("of too many destinations share one more, and those met before keep their own id", async () => {
    const { book } = create();
    const many = kinds(600);
    const ids = await book.meet(drain, many);
    const counted = [...ids.values()];
    expect(counted[549]).toMatch(/^other-\d+$/);
    expect(new Set(counted.slice(550))).toEqual(new Set(["other"]));
    expect(await book.all()).toHaveLength(551);
    expect(await book.meet(drain, many)).toEqual(ids);
    expect(await book.all()).toHaveLength(551);
  });

  test("that nobody has met for a day make room, the longest unmet first, and not before", async () => {
    const { book, advance } = create();
    await book.meet(drain, kinds(maxFailureKinds));
    await advance(dayMs - 1_000);
    await book.meet(drain, kinds(maxFailureKinds).slice(1));
    expect((await book.meet(drain, [kind("late")])).get("late")).toBe("other-23");
    await advance(2_000);
    expect((await book.meet(drain, [kind("late")])).get("late")).toBe("late");
    const ids = (await book.all()).map(({ id }) => id);
    expect(ids).not.toContain("kind-0");
    expect(ids).toContain("kind-1");
    expect((await book.meet(drain, [kind("later")])).get("later")).toBe("other-23");
  });
});

describe("what persons wrote down about a kind", () => {
  test("is changed part by part, survives a restart, and is gone when nothing is left of it", async () => {
    const { marks, again, advance } = create();
    await marks.note("one", { text: "receiver is down" }, "ann");
    await advance(5_000);
    await marks.note("one", { ticket: "INC-7" }, "bob");
    await marks.quiet("one", quiet);
    const note = { text: "receiver is down", ticket: "INC-7", by: "bob", at: startOfTime + 5_000 };
    expect(await again().marks.all()).toEqual(
      new Map([
        ["one", { owner: null, note, quiet: { ...quiet, at: startOfTime + 5_000 }, forgotten: null }],
      ]),
    );
    await marks.note("one", { text: "", ticket: "" }, "bob");
    expect((await marks.all()).get("one")?.note).toBeNull();
    await marks.quiet("one", { ...quiet, ruled: [] });
    expect((await marks.all()).get("one")?.quiet?.ruled).toEqual([]);
    await marks.quiet("one", null);
    expect(await marks.all()).toEqual(new Map());
    await marks.own("one", "priya");
    await marks.note("one", { text: "known" }, "bob");
    await marks.note("one", { text: "" }, "bob");
    const owner = { name: "priya", at: startOfTime + 5_000 };
    expect(await marks.all()).toEqual(
      new Map([["one", { owner, note: null, quiet: null, forgotten: null }]]),
    );
    await marks.own("one", null);
    expect(await marks.all()).toEqual(new Map());
  });

  test("outlives its kind by 30 days, and gives a kind that is met again its first meeting back", async () => {
    const { book, marks, advance } = create();
    await book.meet(drain, [kind("noted"), ...kinds(maxFailureKinds - 1)]);
    await marks.note("noted", { text: "known" }, "ann");
    await advance(dayMs + 1_000);
    await book.meet(drain, kinds(maxFailureKinds - 1));
    await book.meet(drain, [kind("newer")]);
    expect((await book.all()).map(({ id }) => id)).not.toContain("noted");
    expect((await marks.all()).get("noted")).toMatchObject({
      note: { text: "known" },
      forgotten: { id: "noted", text: "answer of noted", firstMetAt: startOfTime },
    });

    await advance(29 * dayMs);
    await marks.note("kind-1", { text: "another" }, "ann");
    expect((await marks.all()).has("noted")).toBe(true);
    await book.meet(drain, [kind("noted")]);
    const back = (await book.all()).find(({ id }) => id === "noted");
    expect(back).toMatchObject({ firstMetAt: startOfTime, lastMetAt: startOfTime + 30 * dayMs + 1_000 });
    expect((await marks.all()).get("noted")).toMatchObject({ note: { text: "known" }, forgotten: null });

    await advance(dayMs + 1_000);
    await book.meet(drain, kinds(maxFailureKinds));
    await book.meet(drain, [kind("newest")]);
    await advance(30 * dayMs + 1_000);
    await marks.note("kind-2", { text: "third" }, "ann");
    expect([...(await marks.all()).keys()].toSorted()).toEqual(["kind-1", "kind-2"]);
  });

  test("is at most 1,000: the one whose kind was forgotten longest ago makes room", async () => {
    const { marks, book, advance } = create();
    await book.meet(drain, kinds(maxFailureKinds));
    await marks.note("kind-0", { text: "known" }, "ann");
    await advance(dayMs + 1_000);
    await book.meet(drain, kinds(maxFailureKinds).slice(1));
    await book.meet(drain, [kind("newer")]);
    expect((await marks.all()).get("kind-0")?.forgotten).not.toBeNull();
    for (let n = 0; n < 1_000; n += 1) await marks.note(`other-${n}`, { text: "known" }, "ann");
    const kept = await marks.all();
    expect(kept.size).toBe(1_000);
    expect(kept.has("kind-0")).toBe(false);
  });
});
