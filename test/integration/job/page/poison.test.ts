/**
 * Messages that make the service refuse whatever holds them, beside other faults: they cost nobody else
 * anything.
 */
import { describe, expect, it } from "vitest";
import type { DlqId, MessageId } from "../../../../src/job/message/dead-letter.ts";
import type { BatchOutcome, ItemOutcome } from "../../../../src/job/contracts/service.ts";
import { createSweepMemory, sweep } from "../../../../src/job/sweep/sweep.ts";
import { passWith, withMovableLedger } from "../../../support/pass-with.ts";
import { atOnce, createRig, minuteMs, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";
import { textOfEncoded } from "../../../support/text-of-encoded.ts";

const redis = useRedis();

const open = (settings = {}): Promise<Rig> => createRig({ redisUrl: redis.url(), drain: atOnce, settings });
const isPoison = (item: string): boolean => item.includes("poison");

/** Publishes by `change`, which gets what the service would do. */
function passPublishing(
  rig: Rig,
  change: (items: readonly string[], publish: () => Promise<BatchOutcome>) => Promise<BatchOutcome>,
): ReturnType<Rig["pass"]> {
  const { service } = rig.drain.source;
  const publish: typeof service.publish = (items, ...call) =>
    change(items.map(textOfEncoded), () => service.publish(items, ...call));
  return passWith(rig, { service: { ...service, publish } }, { alwaysFull: true });
}

/** POSTs that are not answered go out again at once. */
function withoutWaits(rig: Rig): Rig {
  const { source } = rig.drain;
  const clock = { ...source.clock, sleep: () => Promise.resolve() };
  return { ...rig, drain: { ...rig.drain, source: { ...source, clock } } };
}

const refused: BatchOutcome = { kind: "refused", status: 400, error: "no", bisectBy: "count" };
const lost: BatchOutcome = { kind: "in-doubt", error: "lost" };

function seedPoisoned(rig: Rig): { readonly others: string[]; readonly poison: string[] } {
  return { others: rig.seed(19), poison: rig.seed(1, { body: '{"poison":1}' }) };
}

describe("a poison message beside lost answers", () => {
  it.each([
    ["its drain", {}],
    ["its destination", { host: "127.0.0.1" }],
  ])("sends no half of its batch once %s is paused, and each after it", async (_of, target) => {
    const rig = await open();
    seedPoisoned(rig);
    const { pauses } = [...rig.core.sources.values()][0]!;
    const of = { drain: rig.drain.config.name, ...target };
    let posts = 0;
    const pass = (): ReturnType<Rig["pass"]> =>
      passPublishing(rig, async (items, publish) => {
        posts += 1;
        if (posts === 1) await pauses.pause({ ...of, reason: "wait", by: "ann", at: Date.now() });
        return items.some(isPoison) ? refused : publish();
      });
    expect(await pass()).toMatchObject({ tally: { republished: 0, parked: 0, inDoubt: 0 } });
    expect(posts).toBe(1);
    await pauses.resume(of);
    await expect.poll(pass).toMatchObject({ tally: { republished: 19, deleted: 19, parked: 1 } });
  });

  it("parks although a POST of it is unanswered, and a release declares what it may double", async () => {
    const rig = await open();
    const { poison } = seedPoisoned(rig);
    let posts = 0;
    const result = await passPublishing(rig, async (items, publish) => {
      posts += 1;
      if (posts === 1) return lost;
      return items.some(isPoison) ? refused : publish();
    });
    expect(result).toMatchObject({ tally: { republished: 19, parked: 1, inDoubt: 0 } });
    const { views } = await rig.drain.source.ledger.peek(poison as DlqId[]);
    expect(views).toMatchObject([{ state: "parked", reason: "refused" }]);
  });

  it("is posted with few others once the service has refused a batch for it", async () => {
    const rig = await open();
    seedPoisoned(rig);
    await passPublishing(rig, async (items, publish) => (items.some(isPoison) ? refused : publish()));
    rig.seed(40);
    const sizes: number[] = [];
    await passPublishing(rig, async (items, publish) => {
      sizes.push(items.length);
      return sizes.length === 1 ? lost : publish();
    });
    expect(sizes[0]).toBe(40);
    expect(Math.max(...sizes.slice(1))).toBeLessThan(10);
    expect(sizes.slice(1).reduce((sum, size) => sum + size, 0)).toBe(40);
  });
});

/** One of them is never answered, nor is a batch that holds it. */
async function unanswered(count: number) {
  const rig = withoutWaits(await open());
  const [poison] = rig.seed(1, { body: '{"poison":1}' }) as [DlqId];
  rig.seed(count - 1);
  const { service, health } = rig.drain.source;
  const sizes: number[] = [];
  const publish: typeof service.publish = (items, ...call) => {
    sizes.push(items.length);
    return items.map(textOfEncoded).some(isPoison) ? Promise.resolve(lost) : service.publish(items, ...call);
  };
  const expectAlone = async (): Promise<void> => {
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()]).toEqual(Array(count - 1).fill(1));
    expect((await rig.drain.source.ledger.peek([poison])).views).toMatchObject([{ state: "open" }]);
    expect(rig.emulator.dlq.size).toBe(1);
  };
  return { rig, sizes, parts: { service: { ...service, publish }, health }, expectAlone };
}

describe("a message that keeps its whole batch unanswered", () => {
  it("is alone in doubt as its page ends, even if nothing else waits", async () => {
    const { rig, sizes, parts, expectAlone } = await unanswered(100);
    const result = await passWith(rig, parts, { alwaysFull: true });
    expect(result).toMatchObject({ tally: { republished: 99, deleted: 99, inDoubt: 1 } });
    expect(sizes.length).toBeLessThan(20);
    await expectAlone();
    expect(rig.drain.source.health.standing()).toEqual({ state: "usable" });
  });

  it("is alone in doubt before its horizon if only sweeps ask again", async () => {
    const { rig, sizes, parts, expectAlone } = await unanswered(12);
    const source = { ...rig.drain.source, ...parts, health: { ...parts.health, takeRetry: () => false } };
    await passWith(rig, source, { alwaysFull: true });
    const memory = createSweepMemory(source.clock);
    const { signal } = new AbortController();
    for (let minute = 1; minute <= 6; minute += 1) {
      rig.advance(minuteMs + 5_000);
      await sweep(source, new Map([[rig.drain.config.name, { ...rig.drain, source }]]), memory, signal);
    }
    expect(sizes.slice(0, 4)).toEqual([12, 12, 1, 11]);
    await expectAlone();
  });
});

describe("many poison messages while every other answer is lost", () => {
  it("halt nothing: what was not answered may have been accepted", async () => {
    const rig = withoutWaits(await open());
    for (let index = 0; index < 12; index += 1) {
      rig.seed(7);
      rig.seed(1, { body: '{"poison":1}' });
    }
    const result = await passPublishing(rig, async (items, publish) => {
      if (items.some(isPoison)) return refused;
      await publish();
      return lost;
    });
    expect(result).toMatchObject({ tally: { listed: 96, held: 12, parked: 0 } });
    expect(rig.eventsOf("source:halted")).toEqual([]);
    await rig.emulator.idle();
    expect(Math.max(...rig.receiver.counts().values())).toBe(1);
  });

  it("halt the source after all if the answers come back and refuse everything", async () => {
    const rig = withoutWaits(await open());
    rig.seed(100);
    let posts = 0;
    await passPublishing(rig, () => Promise.resolve((posts += 1) === 1 ? lost : refused));
    expect(rig.eventsOf("source:halted")).toMatchObject([{ code: "service-refuses-everything" }]);
    expect(posts).toBeLessThan(40);
  });
});

it("messages that the service refuses and that are alone in the queue are asked for thrice, ten minutes apart, and parked one by one: the source is never halted", async () => {
  const rig = await open();
  rig.seed(30, { body: '{"poison":1}' });
  const { pass, wait } = withMovableLedger(rig);
  rig.emulator.faults.add({ kind: "status", operation: "batch", status: 400, error: "no" });
  const parked: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const result = await pass();
    if (result.kind === "closed") parked.push(result.tally.parked);
    wait(10 * minuteMs);
  }
  expect(parked).toEqual([0, 0, 30]);
  expect(rig.eventsOf("source:halted")).toEqual([]);
  expect(rig.drain.source.health.standing()).toEqual({ state: "usable" });
});

describe("a service that answers with hits", () => {
  const hit: ItemOutcome = { kind: "accepted", messageId: "msg_old" as MessageId, deduplicated: true };
  const no: ItemOutcome = { kind: "refused", error: "no" };

  it("takes messages, whatever the hits prove: others that it refuses are parked, and the source is not halted", async () => {
    const rig = await open();
    const { ledger, source, wait } = withMovableLedger(rig);
    const on = { ...rig, drain: { ...rig.drain, source } };
    const ids = rig.seed(60) as DlqId[];
    // Turned away beside an unanswered POST: a hit proves nothing about these any more.
    let posts = 0;
    await passPublishing(on, () => {
      posts += 1;
      if (posts === 1) return Promise.resolve(lost);
      return Promise.resolve({ kind: "not-sent", why: "rate-limited", error: "slow", retryAt: 0 });
    });
    expect((await ledger.peek(ids)).views[0]).toMatchObject({ state: "open", series: { refusals: 1 } });
    const more = rig.seed(20, { body: '{"more":1}' }) as DlqId[];
    wait(2 * minuteMs);
    await passPublishing(on, (items) =>
      Promise.resolve({
        kind: "answered",
        items: items.map((item) => (item.includes("more") ? no : hit)),
      }),
    );
    expect(rig.eventsOf("source:halted")).toEqual([]);
    expect((await ledger.peek(ids)).views[0]).toMatchObject({ state: "open", series: { suffix: 1 } });
    const { views } = await ledger.peek(more);
    expect(views.filter(({ state }) => state === "parked")).toHaveLength(20);
    expect(rig.emulator.dlq.size).toBe(80);
  });
});
