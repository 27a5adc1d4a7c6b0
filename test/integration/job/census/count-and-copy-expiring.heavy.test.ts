import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import { noteStrays } from "../../../../src/job/census/unselected-come-backs.ts";
import { toShortId } from "../../../../src/job/message/short-id.ts";
import type { Letter } from "../../../../src/job/page/letter.ts";
import { describe, expect, it } from "vitest";
import type { DlqId, RawRecord } from "../../../../src/job/message/dead-letter.ts";
import { takeCensus, type CensusOrder } from "../../../../src/job/census/count-and-copy-expiring.ts";
import { createStand, readArchive } from "../../../support/archives.ts";
import { useRedis } from "../../../support/redis.ts";
import { createRig, hourMs, never, oneCursor, type Rig } from "../../../support/rig.ts";

const redis = useRedis();
const signals = { signal: never, stopping: never };

const ofThreeDays = (): Promise<Rig> => createRig({ redisUrl: redis.url(), source: "{ retention: 3d }" });

const drainOf = (name: string, topicName = [name], then: "archive" | "nothing" = "archive") => ({
  name: name as DrainName,
  mode: "live" as const,
  select: { topicName },
  beforeExpiry: { withinMs: 2 * hourMs, then },
});

/** A drain for URL Group orders, with a second one for refunds: whatever else is there is of no drain. */
function orderOf(rig: Rig, changes: Partial<CensusOrder> = {}): CensusOrder {
  const drains = [drainOf("orders"), drainOf("refunds")];
  return { source: rig.drain.source, drains, documentHash: "doc-1", archive: null, ...changes };
}

/** The source as it is when a census that was noted now is so much older. */
function aged({ drain: { source } }: Rig, byMs: number): CensusOrder["source"] {
  const { ledger } = source;
  const now = async () => {
    const stamp = await ledger.now();
    return { ...stamp, at: stamp.at + byMs };
  };
  return { ...source, ledger: { ...ledger, now } };
}

/** The source as it is where its service lists other records than the emulator can be given. */
function listing(
  { drain: { source } }: Rig,
  change: (raw: RawRecord, index: number) => RawRecord,
): CensusOrder["source"] {
  const { service } = source;
  const list: typeof service.list = async (...call) => {
    const page = await service.list(...call);
    return { ...page, records: page.records.map(change) };
  };
  return { ...source, service: { ...service, list } };
}

const enteredAt = (dlqId: string | undefined): number => Number(dlqId?.split("-")[0]);

const hourOf = (at: number): number => Math.floor(at / hourMs);

const sum = (hours: Readonly<Record<string, number>> = {}): number =>
  Object.values(hours).reduce((all, count) => all + count, 0);

describe("a census", () => {
  it("counts everything by listing without filter: depth, ages, what no drain selects", async () => {
    const rig = await ofThreeDays();
    const oldest = rig.seed(1, { topicName: "orders" }, 60 * hourMs);
    rig.seed(150, { topicName: "refunds" });
    const lost = rig.seed(30, { topicName: "invoices" }, 5 * hourMs);
    rig.seed(1, { url: 7 });
    const census = await takeCensus(orderOf(rig), signals);
    const [failed] = await rig.drain.source.failures.all();
    expect(census).toEqual({
      at: expect.any(Number) as number,
      counted: "listing",
      depth: 182,
      unselected: 31,
      oldestUnselectedAt: enteredAt(lost[0]),
      goneBefore: 0,
      selected: { orders: { [failed!.id]: 1 }, refunds: { [failed!.id]: 150 } },
      strayComeBacks: { count: 0, top: [] },
      unselectedKinds: [
        expect.objectContaining({
          id: failed!.id,
          count: 30,
          since: enteredAt(lost[0]),
          sample: expect.stringMatching(/^\d+-\d+$/) as string,
        }),
        expect.objectContaining({ id: "unreadable", count: 1, since: null }),
      ],
      oldestEnteredAt: enteredAt(oldest[0]),
      earliestExpiryAt: enteredAt(oldest[0]) + 72 * hourMs,
      expires: { all: { [hourOf(enteredAt(oldest[0]) + 72 * hourMs)]: 1 }, unselected: {} },
      expiringUnarchived: 0,
      expiringAccepted: 0,
      documentHash: "doc-1",
      countingKey: expect.any(String) as string,
    });
    expect(await rig.drain.source.book.census()).toEqual(census);
    expect(rig.eventsOf("census:taken")).toMatchObject([
      { source: "default", depth: 182, unselected: 31, expiringUnarchived: 0 },
    ]);
  });

  it("counts what expires soon without a copy, and copies it once: within its drain's time, or twelve hours", async () => {
    const rig = await ofThreeDays();
    rig.seed(1, { topicName: "orders" }, 69 * hourMs);
    const soon = rig.seed(2, { topicName: "orders" }, 71 * hourMs);
    const lost = rig.seed(4, { topicName: "invoices" }, 61 * hourMs);
    rig.seed(8, { topicName: "invoices" }, 59 * hourMs);
    // Unusable in every other way, and about to be lost all the same.
    const odd = rig.seed(16, { topicName: "invoices", url: 7 }, 71 * hourMs);
    rig.seed(32, { topicName: "invoices" }, 47 * hourMs);
    const census = await takeCensus(orderOf(rig), signals);
    expect(census?.expiringUnarchived).toBe(2 + 4 + 16);
    expect(sum(census?.expires?.all)).toBe(1 + 2 + 4 + 8 + 16 + 32);
    expect(sum(census?.expires?.unselected)).toBe(4 + 8 + 16 + 32);
    await rig.drain.source.copies.copied([soon[0] as DlqId]);
    const again = orderOf(rig, { documentHash: "doc-2" });
    expect((await takeCensus(again, signals))?.expiringUnarchived).toBe(1 + 4 + 16);
    const { archive, dir } = createStand();
    for (const documentHash of ["doc-3", "doc-4"]) {
      const copying = await takeCensus(orderOf(rig, { archive, documentHash }), signals);
      expect(copying?.expiringUnarchived).toBe(0);
    }
    const { entries, ids } = await readArchive(dir);
    expect(new Set(ids)).toEqual(new Set([soon[1], ...lost, ...odd]));
    expect(ids).toHaveLength(1 + 4 + 16);
    expect(entries.find(({ dlqId }) => dlqId === lost[0])).toMatchObject({
      why: "near-expiry",
      drain: null,
      record: { topicName: "invoices" },
    });
  });

  it("counts apart what only drains select that want no copies", async () => {
    const rig = await ofThreeDays();
    rig.seed(2, { topicName: "orders" }, 71 * hourMs);
    const shared = rig.seed(1, { topicName: "refunds" }, 71 * hourMs);
    rig.seed(4, { topicName: "invoices" }, 71 * hourMs);
    const drains = [
      drainOf("orders", ["orders"], "nothing"),
      drainOf("refunds", ["refunds"], "nothing"),
      drainOf("returns", ["refunds", "returns"]),
    ];
    const bare = await takeCensus(orderOf(rig, { drains }), signals);
    expect(bare).toMatchObject({ expiringUnarchived: 1 + 4, expiringAccepted: 2 });
    const { archive, dir } = createStand();
    const kept = await takeCensus(orderOf(rig, { drains, archive, documentHash: "doc-2" }), signals);
    expect(kept).toMatchObject({ expiringUnarchived: 0, expiringAccepted: 2 });
    expect((await readArchive(dir)).ids).toEqual(expect.arrayContaining(shared));
  });

  it("goes by creation where an id does not say when its record entered, and takes what says neither for near", async () => {
    const rig = await ofThreeDays();
    rig.seed(6, { topicName: "invoices" });
    const now = Date.now();
    const odd = [
      { dlqId: "old", createdAt: now - 70 * hourMs },
      { dlqId: "young", createdAt: now - 50 * hourMs },
      { dlqId: "of-no-time", createdAt: undefined },
      { dlqId: undefined, createdAt: now - 70 * hourMs },
      { dlqId: 7, createdAt: undefined },
      { dlqId: undefined, createdAt: now },
    ];
    const source = listing(rig, (raw, index) => ({ ...raw, ...odd[index] }));
    const { archive, dir } = createStand();
    expect(await takeCensus(orderOf(rig, { source }), signals)).toMatchObject({ expiringUnarchived: 4 });
    const order = orderOf(rig, { source, archive, documentHash: "doc-2" });
    expect(await takeCensus(order, signals)).toMatchObject({ depth: 6, expiringUnarchived: 2 });
    await takeCensus({ ...order, documentHash: "doc-3" }, signals);
    expect((await readArchive(dir)).ids).toEqual(["old", "of-no-time"]);
  });

  it("is taken once by replicas that are asked at about the same time, and again under another document", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    const twin = await createRig({ redisUrl: redis.url(), twinOf: rig });
    rig.seed(3);
    const first = await takeCensus(orderOf(rig), signals);
    expect(first).toMatchObject({ depth: 3 });
    const before = rig.callsOf("list");
    expect(await takeCensus(orderOf(twin), signals)).toBeNull();
    expect(rig.callsOf("list")).toBe(before);
    expect(await twin.drain.source.book.census()).toEqual(first);
    expect(await takeCensus(orderOf(twin, { documentHash: "doc-2" }), signals)).toMatchObject({ depth: 3 });
  });

  it("lists nothing where a full pass of a live drain without selection has just counted", async () => {
    const rig = await ofThreeDays();
    rig.seed(80);
    rig.seed(7, { responseStatus: 404 });
    rig.seed(2, { responseStatus: 404 }, 50 * hourMs);
    rig.seed(3, {}, 50 * hourMs);
    await rig.pass();
    await rig.emulator.idle();
    const documentHash = rig.core.document.hash;
    const counted = await rig.drain.source.book.census();
    expect(counted).toMatchObject({ counted: "pass", depth: 9, unselected: 0, documentHash });
    expect(counted).toMatchObject({ expiringUnarchived: 0 });
    const before = rig.callsOf("list");
    expect(await takeCensus(orderOf(rig, { documentHash }), signals)).toBeNull();
    expect(rig.callsOf("list")).toBe(before);
  });

  it.each([
    ["pass", 675_000],
    ["listing", 787_500],
  ] as const)(
    "counts at each look from which the next would be behind the interval: one of a %s",
    async (counted, servedMs) => {
      const rig = await createRig({ redisUrl: redis.url() });
      const { source } = rig.drain;
      const documentHash = rig.core.document.hash;
      await takeCensus(orderOf(rig, { documentHash }), signals);
      const { at } = await source.ledger.now();
      await source.book.recordCensus({ ...(await source.book.census())!, at, counted });
      const look = (ageMs: number) =>
        takeCensus(orderOf(rig, { documentHash, source: aged(rig, ageMs) }), signals);
      // Room for what the test itself takes.
      expect(await look(servedMs - 20_000)).toBeNull();
      expect(await look(servedMs)).toMatchObject({ counted: "listing" });
    },
  );

  it.each(["record", "offset"] as const)(
    "counts after full passes that delete what a source has whose cursor is by %s: what a pass skipped too",
    async (cursorBy) => {
      const rig = await createRig({ redisUrl: redis.url(), emulator: { cursorBy }, ...oneCursor });
      const documentHash = rig.core.document.hash;
      const order = () => orderOf(rig, { documentHash });
      // Held, so that a full pass has more than a page to list and deletes nothing.
      const held = rig.seed(130, { responseStatus: 404 }, 30 * 60_000);
      await rig.pass();
      expect(await rig.drain.source.book.census()).toMatchObject({ counted: "pass", depth: 130 });
      rig.emulator.dlq.remove(held);
      rig.seed(250, {}, 20 * 60_000);
      await rig.fullPass();
      const left = rig.emulator.dlq.size;
      expect(left > 0).toBe(cursorBy === "offset");
      // Not counted by the pass: what was known stays, and is listed anew when it is old.
      expect(await rig.drain.source.book.census()).toMatchObject({ depth: 130 });
      const later = { ...order(), source: aged(rig, hourMs) };
      const before = rig.callsOf("list");
      expect(await takeCensus(later, signals)).toMatchObject({ counted: "listing", depth: left });
      expect(rig.callsOf("list") - before).toBe(Math.max(1, Math.ceil(left / 100)));
    },
  );

  it("counts apart what came back from a redrive and has fallen out of its drain's selection", async () => {
    const rig = await createRig({
      redisUrl: redis.url(),
      drain: `
    select: { topicName: orders }
    minAge: 0s
    lane: { canary: 5, watch: 1m }
    attempts: { wait: [0s] }
    rules: [{ name: all, when: any, then: republish }]
`,
    });
    rig.receiver.answer = () => 500;
    rig.seed(3, { topicName: "orders", url: `${rig.receiver.url}/in` });
    rig.seed(2, { topicName: "invoices" });
    // A header of somebody else proves nothing.
    rig.seed(1, { topicName: "invoices", header: { "X-Redriver": ["v1.e30.AAAA"] } });
    await rig.pass();
    await rig.emulator.idle();
    const { host } = new URL(rig.receiver.url);
    const { source, config } = rig.drain;
    const onUnselected = (letters: readonly Letter[]) => noteStrays(source, [config], letters);
    expect(await takeCensus(orderOf(rig, { onUnselected }), signals)).toMatchObject({
      depth: 6,
      unselected: 6,
      strayComeBacks: { count: 3, top: [{ host, status: 500, count: 3 }] },
    });
    // Once, whoever lists it again.
    await takeCensus(orderOf(rig, { onUnselected, documentHash: "doc-2" }), signals);
    const facts = await source.passes.facts(config.name);
    const sent = facts?.failures.find(({ published }) => published > 0);
    expect(sent).toMatchObject({ published: 3, failedAgain: 3, waiting: 0 });
    const rule = { drain: config.name, rule: "all", id: toShortId(config.name, "all") };
    expect((await source.ledger.summary([rule])).rules).toEqual([{ ...rule, published: 3, failedAgain: 3 }]);
    expect(rig.recordsOf("record:come-back")).toHaveLength(3);
    expect((await source.lanes.views(9)).lanes).toMatchObject([
      { state: "halted", why: "3 of 5 failed again, 500" },
    ]);
  });

  it("that is told to stop ends between two pages and notes nothing", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(250);
    const stopping = new AbortController();
    stopping.abort();
    const taken = takeCensus(orderOf(rig), { signal: never, stopping: stopping.signal });
    await expect(taken).rejects.toMatchObject({ code: "stopped" });
    expect(await rig.drain.source.book.census()).toBeNull();
  });
});
