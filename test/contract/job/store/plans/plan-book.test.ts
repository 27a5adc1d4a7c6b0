import { describe, expect, test } from "vitest";
import type { DrainName, PlanId, Token } from "../../../../../src/job/contracts/ids.ts";
import { planDeadAfterMs, type PlanClaim, type PlanLimits } from "../../../../../src/job/contracts/plans.ts";
import { createRedisPlanBook } from "../../../../../src/job/store/plans/redis-plan-book.ts";
import { startOfTime, withMovedTime } from "../../../../support/ledger-stands.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const dayMs = 24 * 3_600_000;

const claim = (id: string, token = `token of ${id}`): PlanClaim => ({
  id: id as PlanId,
  token: token as Token,
});
const about = (...drains: readonly string[]) => ({
  by: "ada",
  drains: drains as readonly DrainName[],
  filter: { rules: ["outage"] },
  documentHash: "abc",
});
const made = { records: 2, acts: 1, decisions: { republish: 1, hold: 1 }, sha256: "f00" };
const making = { drain: "orders" as DrainName, listed: 3, planned: 2 };
const order = { by: "bob", why: "INC-7" };

function create(limits?: PlanLimits) {
  const { redis: moved, advance } = withMovedTime(redis.fresh());
  const book = createRedisPlanBook(moved, limits);
  const whole = async (id: string, ...drains: readonly string[]): Promise<PlanClaim> => {
    expect(await book.begin(claim(id), about(...drains), "one")).toBe("begun");
    expect(await book.append(claim(id), 0, `${id} head\n`)).toBe("kept");
    expect(await book.complete(claim(id), made, `summary of ${id}`, 1)).toBe("kept");
    return claim(id);
  };
  const stateOf = async (id: string) => (await book.read(id as PlanId))?.plan.state;
  return { book, advance, whole, stateOf, command: moved.command, prefix: moved.keyPrefix };
}

/** Packs badly. */
const random = (length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(97 + ((index * index * 31 + index) % 26))).join(
    "",
  );

async function textOf(lines: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of lines) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

describe("the book of shared plans", () => {
  test("keeps the lines of a plan in order, each part once, and its summary", async () => {
    const { book } = create();
    const one = claim("p1");
    await book.begin(one, about("orders"), "one");
    expect(await book.begin(one, about("orders"), "one")).toBe("begun");
    const parts = ["first ünd\n", "second\n", "third\n"];
    for (const [part, text] of parts.entries()) {
      expect(await book.append(one, part, text)).toBe("kept");
      expect(await book.append(one, part, text)).toBe("kept");
    }
    expect(await book.append(one, 4, "after a hole")).toBe("lost");
    expect(await book.append({ ...one, token: "another" as Token }, 3, "x")).toBe("lost");
    expect(await book.sign(one, making)).toEqual({ kind: "mine", stoppedBy: null });
    expect((await book.all())[0]).toMatchObject({ id: "p1", state: "making", making, made: null });
    expect(await book.complete(one, made, "the summary", 2)).toBe("lost");
    expect(await book.complete(one, made, "the summary", 3)).toBe("kept");
    expect(await book.complete(one, made, "the summary", 3)).toBe("kept");
    expect(await textOf(book.lines(one.id))).toBe(parts.join(""));
    expect(await book.read(one.id)).toEqual({
      summary: "the summary",
      plan: {
        id: "p1",
        ...about("orders"),
        createdAt: startOfTime,
        expiresAt: startOfTime + dayMs,
        state: "ready",
        why: null,
        replica: "one",
        stoppedBy: null,
        making: null,
        made,
        apply: null,
      },
    });
  });

  test("shows a replica without a sign for 15 s as dead: its plan is interrupted, and another may take it", async () => {
    const { book, advance, whole, stateOf } = create();
    const one = await whole("p1", "orders");
    const two = { ...one, token: "two" as Token };
    expect(await book.startApply(one, order, "one")).toEqual({ kind: "started" });
    expect(await book.startApply(one, order, "one")).toEqual({ kind: "started" });
    await advance(planDeadAfterMs);
    const busy = { kind: "busy", id: one.id, drain: "orders", by: "bob", replica: "one" };
    expect(await book.startApply(two, order, "two")).toEqual(busy);
    expect(await stateOf("p1")).toBe("applying");
    await advance(1);
    const why = "replica one has ended, or has lost Redis";
    expect((await book.read(one.id))?.plan).toMatchObject({ state: "interrupted", why });
    expect(await book.startApply(two, order, "two")).toEqual({ kind: "started" });
    expect(await book.sign(one, [])).toEqual({ kind: "lost" });
    expect(await book.end(one, "applied", null, [])).toBe("lost");
    expect(await book.end(two, "interrupted", "by a pause", [])).toBe("kept");
    expect(await book.end(two, "interrupted", "by a pause", [])).toBe("kept");
    expect((await book.read(one.id))?.plan).toMatchObject({
      state: "interrupted",
      why: "by a pause",
      apply: { ...order, startedAt: startOfTime + planDeadAfterMs + 1 },
    });
  });

  test("lets one apply a drain at a time, of whichever plan, and others at once", async () => {
    const { book, whole } = create();
    const one = await whole("p1", "orders", "refunds");
    const two = await whole("p2", "refunds");
    const three = await whole("p3", "mails");
    expect(await book.startApply(one, order, "one")).toEqual({ kind: "started" });
    expect(await book.startApply(two, order, "two")).toMatchObject({ kind: "busy", drain: "refunds" });
    expect(await book.startApply(three, order, "two")).toEqual({ kind: "started" });
    // One that is known to be gone holds nobody up.
    expect(await book.startApply(two, order, "two", "x")).toMatchObject({ kind: "busy" });
    const anew = { ...one, token: "new" as Token };
    expect(await book.startApply(anew, order, "two", "one")).toEqual({ kind: "started" });
    expect(await book.end(one, "applied", null, [])).toBe("lost");
    await book.end(anew, "interrupted", "why", []);
    expect(await book.startApply(one, order, "one")).toEqual({ kind: "started" });
    await book.end(one, "applied", null, []);
    expect(await book.startApply(two, order, "two")).toEqual({ kind: "started" });
    expect(await book.startApply(claim("p9"), order, "two")).toEqual({ kind: "unknown" });
    await book.begin(claim("p4"), about("x"), "one");
    expect(await book.startApply(claim("p4"), order, "two")).toEqual({ kind: "not-whole" });
  });

  test("takes back an apply that nobody wanted: the plan is as before, first ready, then as the last apply left it", async () => {
    const { book, whole, advance } = create();
    const one = await whole("p1", "orders");
    const two = { ...one, token: "two" as Token };
    const three = { ...one, token: "three" as Token };
    const shown = async () => (await book.read(one.id))?.plan;
    const ready = await shown();
    await book.startApply(one, order, "one");
    expect(await book.giveBack(two)).toBe("lost");
    expect(await book.giveBack(one)).toBe("kept");
    expect(await shown()).toEqual(ready);
    await book.startApply(two, order, "two");
    await book.end(two, "interrupted", "by a pause", []);
    const interrupted = await shown();
    await advance(1_000);
    await book.startApply(three, { by: "eve", why: "me too" }, "three");
    await book.sign(three, []);
    await book.giveBack(three);
    expect(await shown()).toEqual(interrupted);
    expect(interrupted).toMatchObject({ state: "interrupted", why: "by a pause", apply: order });
    // One that was killed before it gave it back holds the plan for a while, unless it is known to be gone.
    await book.startApply(three, order, "three");
    const four = { ...one, token: "four" as Token };
    expect(await book.startApply(four, order, "four")).toMatchObject({ kind: "busy", replica: "three" });
    await advance(planDeadAfterMs + 1);
    const killed = await shown();
    expect(await book.startApply(four, order, "four")).toEqual({ kind: "started" });
    expect(await book.giveBack(three)).toBe("lost");
    expect(await book.giveBack(four)).toBe("kept");
    expect(await shown()).toEqual(killed);
    expect(await book.startApply(two, order, "two")).toEqual({ kind: "started" });
  });

  test("is bounded in plans: one that never became whole makes room, then one that was never applied", async () => {
    const { book, whole, advance } = create({ plans: 2, bytes: 10_000, records: 9 });
    const ids = async () => (await book.all()).map(({ id }) => id);
    const one = await whole("p1", "orders");
    await book.begin(claim("p2"), about("orders"), "one");
    await advance(planDeadAfterMs + 1);
    expect(await book.begin(claim("p3"), about("orders"), "one")).toBe("begun");
    expect(await ids()).toEqual(["p3", "p1"]);
    await advance(1);
    expect(await book.begin(claim("p4"), about("orders"), "one")).toBe("begun");
    expect(await ids()).toEqual(["p4", "p3"]);
    // What is made now, or was applied, stays.
    expect(await book.begin(claim("p5"), about("orders"), "one")).toBe("full");
    await book.end(claim("p3"), "failed", "why", making);
    await whole("p5", "orders");
    await book.end(claim("p4"), "failed", "why", making);
    await whole("p6", "refunds");
    for (const id of ["p5", "p6"]) {
      await book.startApply(claim(id), order, "one");
      await book.end(claim(id), "applied", null, []);
    }
    expect(await book.begin(claim("p7"), about("orders"), "one")).toBe("full");
    expect(await book.remove(one.id)).toBe("unknown");
    await book.remove("p5" as PlanId);
    expect(await book.begin(claim("p7"), about("orders"), "one")).toBe("begun");
  });

  test("is bounded in bytes of all plans; what never became whole takes none", async () => {
    const { book } = create({ plans: 9, bytes: 1_000, records: 9 });
    const text = random(600);
    await book.begin(claim("p1"), about("orders"), "one");
    let part = 0;
    while ((await book.append(claim("p1"), part, `${part} ${text}`)) === "kept") part += 1;
    expect(part).toBeGreaterThan(0);
    await book.begin(claim("p2"), about("orders"), "one");
    expect(await book.append(claim("p2"), 0, random(3_000))).toBe("full");
    await book.end(claim("p1"), "failed", "too large", making);
    expect(await book.append(claim("p2"), 0, text)).toBe("kept");
  });

  test("makes room in bytes as well: the oldest that was never applied is forgotten", async () => {
    const { book, advance } = create({ plans: 9, bytes: 500, records: 9 });
    const keep = async (id: string): Promise<void> => {
      await book.begin(claim(id), about("orders"), "one");
      expect(await book.append(claim(id), 0, `${id} ${random(600)}`)).toBe("kept");
      expect(await book.complete(claim(id), made, "summary", 1)).toBe("kept");
      await advance(1);
    };
    const ids = async () => (await book.all()).map(({ id }) => id);
    for (let each = 0; each < 9; each += 1) await keep(`p${each}`);
    expect(await ids()).not.toContain("p0");
    expect((await ids())[0]).toBe("p8");
  });

  test("one that nobody asked to keep makes room first, and takes none of those that were asked for", async () => {
    const { book, whole, advance } = create({ plans: 2, bytes: 10_000, records: 9 });
    const look = async (id: string): Promise<string> => {
      const begun = await book.begin(claim(id), about("orders"), "one", true);
      if (begun === "begun") {
        await book.append(claim(id), 0, "text");
        await book.complete(claim(id), made, "summary", 1);
      }
      await advance(1);
      return begun;
    };
    const ids = async () => (await book.all()).map(({ id }) => id);
    await whole("asked", "orders");
    expect([await look("look"), await look("newer")]).toEqual(["begun", "begun"]);
    expect(await ids()).toEqual(["newer", "asked"]);
    await whole("too", "mails");
    expect([await look("late"), await ids()]).toEqual(["full", ["too", "asked"]]);
    await book.remove("asked" as PlanId);
    await look("applied");
    await book.startApply(claim("applied"), order, "one");
    await book.end(claim("applied"), "applied", null, []);
    expect([await look("late"), await ids()]).toEqual(["full", ["applied", "too"]]);
  });

  test("forgets a plan a day after it was made, and not while an apply gives signs", async () => {
    const { book, whole, advance, stateOf } = create();
    await whole("p1", "orders");
    const two = await whole("p2", "refunds");
    await advance(dayMs - 1_000);
    await book.startApply(two, order, "one");
    await book.sign(two, []);
    await advance(1_001);
    expect((await book.all()).map(({ id }) => id)).toEqual(["p2"]);
    await advance(3_600_000);
    expect(await book.all()).toEqual([]);
    expect(await stateOf("p2")).toBeUndefined();
  });
});

describe("a row that is none of this version", () => {
  const spoilt: readonly (readonly [what: string, ...command: readonly string[]])[] = [
    ["is no hash", "SET", "x"],
    ["is about something else", "HSET", "about", '{"drains":"orders"}'],
    ["has no JSON", "HSET", "made", "{", "about", "x"],
    ["has another shape", "HSET", "made", '{"records":"two"}'],
    ["has a state that is not known", "HSET", "state", "cooked"],
    ["has no number where one is", "HSET", "createdAt", "noon", "signAt", "x", "bytes", "x"],
    ["is applied by nobody that can be read", "HSET", "state", "applying", "order", "[", "about", "1"],
  ];

  test.each(spoilt)(
    "%s: it is shown as unreadable and can be removed, and stops no other",
    async (...row) => {
      const { book, whole, advance, command, prefix } = create();
      const [, name, ...rest] = row;
      const bad = await whole("bad", "orders");
      const one = await whole("p1", "orders");
      const key = `${prefix}:v1:plans:{plans}:plan:bad`;
      if (name === "SET") await command("DEL", key);
      await command(name ?? "", key, ...rest);
      expect(await book.all()).toMatchObject([
        { id: "p1", state: "ready" },
        { id: "bad", state: "unreadable", drains: [], made: null },
      ]);
      expect((await book.read(bad.id))?.plan).toMatchObject({ id: "bad", state: "unreadable" });
      expect(await book.startApply(one, order, "one")).toEqual({ kind: "started" });
      expect(await book.begin(claim("p2"), about("orders"), "one")).toBe("begun");
      expect(await book.append(claim("p2"), 0, "text")).toBe("kept");
      // Its sign of life may still count.
      await advance(planDeadAfterMs + 1);
      await book.remove(bad.id);
      expect((await book.all()).map(({ id }) => id)).toEqual(["p2", "p1"]);
    },
  );
});

test("in Redis every key of a plan expires within a day", async () => {
  const connection = redis.fresh();
  const book = createRedisPlanBook(connection);
  const one = claim("p1");
  await book.begin(one, about("orders"), "one");
  await book.append(one, 0, "text");
  await book.complete(one, made, "summary", 1);
  const base = `${connection.keyPrefix}:v1:plans:{plans}:`;
  for (const key of ["index", "plan:p1", "lines:p1", "summary:p1"]) {
    const left = Number(await connection.command("PTTL", base + key));
    expect(left).toBeGreaterThan(dayMs - 60_000);
    expect(left).toBeLessThanOrEqual(dayMs);
  }
  await book.remove(one.id);
  expect(await connection.command("EXISTS", `${base}lines:p1`)).toBe(0);
});
