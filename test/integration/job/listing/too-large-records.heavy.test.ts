/**
 * One record that is larger than may be read: it is passed over, told, and hides nothing but its own
 * millisecond.
 */
import { describe, expect, it } from "vitest";
import type { EmulatorOptions } from "../../../../dev/emulator/index.ts";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { takeCensus } from "../../../../src/job/census/count-and-copy-expiring.ts";
import { findParkedLetters, readParked } from "../../../../src/people/operations/parked/find.ts";
import { learnDates } from "../../../../src/job/listing/learn-dates-meaning.ts";
import { findAll } from "../../../support/findings.ts";
import { createRig, manyWindows, minuteMs, never, type Rig, type RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const signals = { signal: never, stopping: never };
const hourMs = 60 * minuteMs;
const tooMuch = "x".repeat(70_000);

const settings = { "service.maxAnswerBytes": "64KiB" };

const createStand = (options: Omit<RigOptions, "redisUrl"> = {}): Promise<Rig> =>
  createRig({ redisUrl: redis.url(), settings, ...options });

/**
 * `before` records, the one that is too large, and `behind` more, a second apart; the first entered an hour
 * ago.
 */
function seedAround(rig: Rig, before: number, behind: number, fields = {}) {
  const start = Date.now() - hourMs;
  const dlqIds = rig.emulator.dlq.seed(
    Array.from({ length: before + 1 + behind }, (_, index) => ({
      dlqId: `${start + index * 1_000}-7`,
      // Made in another order than they entered in.
      createdAt: start - hourMs - ((index * 7_919) % 600) * 1_000,
      url: `${rig.receiver.url}/hook`,
      responseStatus: 503,
      body: index === before ? tooMuch : `m-${index}`,
      ...fields,
    })),
  );
  return { dlqIds, large: dlqIds[before]! };
}

const enteredAt = (dlqId: string): number => Number(dlqId.split("-")[0]);

const seedAt = (rig: Rig, dlqId: string, body: string) =>
  rig.emulator.dlq.seed([
    { dlqId, createdAt: enteredAt(dlqId) - hourMs, url: `${rig.receiver.url}/in`, responseStatus: 503, body },
  ]);

async function listsOf(rig: Rig, work: () => Promise<unknown>): Promise<number> {
  const before = rig.callsOf("list");
  await work();
  return rig.callsOf("list") - before;
}

/** How many windows were worked, and the most pages of one of them that were at work at once. */
function watchWindows({ drain: { source } }: Rig) {
  const seen = { windows: 0, mostPages: 0 };
  const { ofWindow } = source.pagesInFlight;
  const watched: typeof source.pagesInFlight = {
    ofWindow(hasMemory) {
      seen.windows += 1;
      let now = 0;
      const flight = ofWindow(hasMemory);
      const begin = (work: () => Promise<void>): void =>
        flight.begin(async () => {
          now += 1;
          seen.mostPages = Math.max(seen.mostPages, now);
          await work().finally(() => (now -= 1));
        });
      return { ...flight, begin };
    },
  };
  Object.assign(source, { pagesInFlight: watched });
  return seen;
}

describe("a record that is larger than may be read", () => {
  const services: [string, EmulatorOptions][] = [
    ["oldest first", {}],
    ["newest first", { order: "latestFirst" }],
    ["with dates that mean createdAt", { dateFilter: "created" }],
    ["newest first with dates that mean createdAt", { order: "latestFirst", dateFilter: "created" }],
  ];
  it("lets no more pages of its window be at work than any other", async () => {
    const rig = await createStand({ pagesInFlight: { perWindow: 1, perSource: 1 } });
    const { large } = seedAround(rig, 3, 3);
    await rig.pass();
    // Its place is known now, so the next listing has a part before it and one behind it.
    for (const ms of [-2_000, -1_000, 1_000, 2_000]) seedAt(rig, `${enteredAt(large) + ms}-9`, "around");
    const seen = watchWindows(rig);
    const { ledger } = rig.drain.source;
    const { look } = ledger;
    // So slow that a page that is begun too early is at work beside it.
    Object.assign(ledger, {
      look: async (...call: Parameters<typeof look>) => {
        await new Promise((go) => setTimeout(go, 200));
        return look(...call);
      },
    });
    await rig.fullPass();
    expect(rig.emulator.dlq.size).toBe(1);
    expect(seen.mostPages).toBe(1);
  });

  it.each(services)(
    "is passed over where records are listed %s: everything else is redriven, and the pass is partial",
    async (_name, emulator) => {
      const rig = await createStand({ emulator });
      const { large } = seedAround(rig, 40, 40);
      const seen = watchWindows(rig);
      const calls = await listsOf(rig, async () => {
        expect(await rig.pass()).toMatchObject({
          outcome: "partial",
          tally: { listed: 80, republished: 80, deleted: 80, passedOver: 1 },
        });
      });
      // Beside one of each window. A page that is listed ahead may search before the meaning of the dates is
      // learned.
      expect(calls - seen.windows).toBeLessThan(90);
      expect(rig.emulator.dlq.size).toBe(1);
      const { createdAt } = rig.emulator.dlq.find(large)!;
      const date = emulator.dateFilter === "created" ? createdAt : enteredAt(large);
      expect(rig.eventsOf("record:passed-over")).toEqual([
        { type: "record:passed-over", source: "default", date },
      ]);
      expect(rig.eventsOf("window:failed")).toEqual([]);
      // The next full pass meets it again, and knows where it is. How many lists halve a day to the
      // millisecond depends on the time of day: 3 to 9 were seen, and 41 or more without that knowledge.
      expect(await listsOf(rig, () => rig.fullPass())).toBeLessThan(20);
      expect(rig.eventsOf("pass:closed").map(({ outcome }) => outcome)).toEqual(["partial", "partial"]);
      await rig.emulator.idle();
      expect([...rig.receiver.counts().values()]).toEqual(Array.from({ length: 80 }, () => 1));
    },
  );

  it("counts what is listed around it once, also where none of it is deleted", async () => {
    const rig = await createStand();
    seedAround(rig, 150, 150, { responseStatus: 404 });
    expect(await rig.pass()).toMatchObject({ tally: { listed: 300, held: 300, passedOver: 1 } });
    expect(await rig.fullPass()).toMatchObject({ tally: { listed: 300, held: 300, passedOver: 1 } });
  });

  it.each([
    ["earliestFirst", 0, 150, 2],
    // Parts of a listing go by time, so it is met when the backlog has been cut.
    ["latestFirst", 150, 0, 1],
  ] as const)(
    "does not keep a backlog behind it, %s, from being cut into windows, of which the one that has it counts it",
    async (order, older, newer, met) => {
      const rig = await createStand({ ...manyWindows, emulator: { order } });
      const { large } = seedAround(rig, older, newer);
      const seen = watchWindows(rig);
      expect(await rig.pass()).toMatchObject({ tally: { listed: 150, republished: 150, passedOver: 1 } });
      // Met by each window that was cut, and by the one that took its place.
      const dates = rig.eventsOf("record:passed-over").map(({ date }) => date);
      expect(dates.length).toBeGreaterThanOrEqual(met);
      expect(seen.windows).toBeGreaterThan(2);
      expect(new Set(dates)).toEqual(new Set([enteredAt(large)]));
    },
  );

  it("does not keep later passes from looking only at what is new, and the next full one goes on behind it", async () => {
    const rig = await createStand();
    const { large } = seedAround(rig, 3, 3);
    expect(await rig.pass()).toMatchObject({ outcome: "partial" });
    rig.seed(2, {}, 10_000);
    expect(await rig.pass()).toMatchObject({ outcome: "complete", tally: { republished: 2 } });
    expect(rig.eventsOf("pass:opened").map(({ kind }) => kind)).toEqual(["full", "new"]);
    const facts = await rig.drain.source.passes.facts(rig.drain.config.name);
    expect(facts).toMatchObject({ exact: false, lastOutcome: "complete" });
    rig.emulator.dlq.remove([large]);
    expect(await rig.fullPass()).toMatchObject({ outcome: "complete", tally: { passedOver: 0 } });
  });

  it.each([
    ["earliestFirst", 1],
    ["latestFirst", -1],
  ] as const)(
    "hides what is listed behind it in its own millisecond, %s, and nothing else",
    async (order, sign) => {
      const rig = await createStand({ emulator: { order } });
      const at = Date.now() - hourMs;
      const idAt = (ms: number, sequence: number) => `${ms}-${50 + sign * sequence}`;
      seedAt(rig, idAt(at - 1, 0), "one before");
      for (let sequence = 0; sequence < 30; sequence += 1)
        seedAt(rig, idAt(at, sequence), `before ${sequence}`);
      seedAt(rig, idAt(at, 30), tooMuch);
      seedAt(rig, idAt(at, 31), "behind");
      seedAt(rig, idAt(at + 1, 0), "one after");
      expect(await rig.pass()).toMatchObject({ outcome: "partial", tally: { republished: 32 } });
      expect(rig.emulator.dlq.find(idAt(at, 31))).toBeDefined();
      expect(rig.emulator.dlq.size).toBe(2);
    },
  );

  it("proves nothing gone: what is pending and not listed stays pending", async () => {
    const rig = await createStand();
    const { large } = seedAround(rig, 0, 5, { responseStatus: 404 });
    const { ledger } = rig.drain.source;
    const { name } = rig.drain.config;
    await ledger.published([
      { dlqId: large as DlqId, as: "msg_1", attempt: 1, deletePending: true, drain: name, messageId: null },
    ] as unknown as Parameters<typeof ledger.published>[0]);
    expect(await rig.pass()).toMatchObject({ outcome: "partial", tally: { deleted: 0 } });
    expect(await ledger.summary()).toMatchObject({ pendingDelete: 1 });
    expect(await rig.drain.source.book.census()).toBeNull();
  });
});

describe("where something else lists a queue with a record that is larger than may be read", () => {
  it("a census counts it with all the others, and as one without a copy when it nears its expiry", async () => {
    const rig = await createStand({ source: "{ retention: 3d }" });
    seedAround(rig, 120, 120);
    const order = { source: rig.drain.source, drains: [], documentHash: "doc-1", archive: null };
    expect(await takeCensus(order, signals)).toMatchObject({ depth: 241, expiringUnarchived: 0 });
    seedAt(rig, `${Date.now() - 71 * hourMs}-0`, tooMuch);
    const later = { ...order, documentHash: "doc-2" };
    expect(await takeCensus(later, signals)).toMatchObject({ depth: 242, expiringUnarchived: 1 });
    expect(rig.eventsOf("record:passed-over")).toHaveLength(3);
  });

  it("nothing that is parked is said to be gone", async () => {
    const rig = await createStand({
      drain: `
    minAge: 0s
    rules: [{ name: bad, when: { responseStatus: 503 }, then: park }]
`,
    });
    const { dlqIds, large } = seedAround(rig, 3, 3);
    await rig.pass();
    const parked = await readParked(rig.drain.source);
    expect(parked).toHaveLength(6);
    rig.emulator.dlq.remove([dlqIds[5]!]);
    const found: string[] = [];
    const look = () =>
      findParkedLetters(rig.drain.source, rig.core.drains, parked, signals, ({ dlqId }) => found.push(dlqId));
    expect(await look()).toMatchObject({ isAbsent: false });
    expect(found.toSorted()).toEqual(dlqIds.filter((_, index) => index !== 3 && index !== 5).toSorted());
    rig.emulator.dlq.remove([large]);
    expect(await look()).toMatchObject({ isAbsent: true, unseen: [{ dlqId: dlqIds[5] }] });
  });

  it("what a sweep looks for beside it is found, by its message or its millisecond, and what is not is absent", async () => {
    const rig = await createStand();
    const { dlqIds } = seedAround(rig, 5, 5);
    await rig.drain.source.book.learnDates("entered");
    const wanted = dlqIds.map((dlqId, index) => ({
      dlqId: dlqId as DlqId,
      messageId: index % 2 === 0 ? null : (rig.emulator.dlq.find(dlqId)!["messageId"] as never),
    }));
    rig.emulator.dlq.remove([dlqIds[8]!, dlqIds[9]!]);
    const { records, absent } = await findAll(rig.drain.source, wanted);
    const found = new Set(records.map(({ dlqId }) => dlqId));
    expect(found).toEqual(new Set(dlqIds.filter((_, index) => ![5, 8, 9].includes(index))));
    expect(absent.toSorted()).toEqual([dlqIds[8], dlqIds[9]]);
  });

  it("a pass is opened although there is nothing but it", async () => {
    const rig = await createStand();
    seedAround(rig, 0, 0);
    expect(await rig.pass()).toMatchObject({ outcome: "partial", tally: { listed: 0, passedOver: 1 } });
  });

  it.each([
    ["earliestFirst", "entered"],
    ["latestFirst", null],
  ] as const)("what dates mean is learned beside it where that can be seen: %s", async (order, meaning) => {
    const rig = await createStand({ emulator: { order } });
    const at = Date.now() - hourMs;
    for (const [sequence, body] of ["m-1", tooMuch].entries()) seedAt(rig, `${at}-${sequence}`, body);
    const record = rig.emulator.dlq.find(`${at}-0`)!;
    expect(await learnDates(rig.drain.source, [record], never)).toBe(meaning);
  });
});
