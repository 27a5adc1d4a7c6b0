import { describe, expect, it, onTestFinished } from "vitest";
import { openAuditReader } from "../../../../src/job/compose/open-readers.ts";
import { createCopyingWithoutRedis } from "../../../../src/job/daemon/keep-copies-without-redis.ts";
import { takeCensus } from "../../../../src/job/census/count-and-copy-expiring.ts";
import { readArchive } from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { census } from "../../../support/metrics.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { createTcpProxy } from "../../../support/tcp-proxy.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const hourMs = 3_600_000;
const minuteMs = 60_000;
const censusMs = 15 * minuteMs;
const never = new AbortController().signal;

const holding = `
    beforeExpiry: { within: 12h, then: archive }
    rules: [{ name: all, when: any, then: hold }]
`;

/** A replica behind a path to Redis that can be cut, and its look for what nears its expiry. */
async function createStand(options: { readonly archive?: false } = {}) {
  const dir = `${createFolder().path}/archive`;
  const proxy = await createTcpProxy({ host: "127.0.0.1", port: Number(new URL(redis.url()).port) });
  onTestFinished(() => proxy.close());
  const rig = await createRig({
    redisUrl: `redis://127.0.0.1:${proxy.port}`,
    drain: holding,
    source: "{ retention: 3d, census: 15m }",
    ...(options.archive === false
      ? {}
      : { document: `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n` }),
  });
  const clock = createManualClock();
  const state = { isRedisWell: true };
  const { core } = rig;
  const { events } = rig.drain.source;
  const acquire = () => ({ core, superseded: () => never, release: () => undefined });
  const turn = createCopyingWithoutRedis({
    live: { acquire },
    isRedisWell: () => state.isRedisWell,
    clock,
    events,
    stop: never,
  });
  return { rig, proxy, clock, state, turn, dir };
}

const signals = { signal: never, stopping: never };
const orderOf = ({ core, drain }: Rig, documentHash: string) => ({
  source: drain.source,
  drains: core.document.drains,
  documentHash,
  archive: core.archive,
});

describe("while Redis is away", () => {
  it("what nears its expiry is copied after five minutes and at each census interval, once, and noted when it is back", async () => {
    const { rig, proxy, clock, state, turn, dir } = await createStand();
    const copiedBefore = rig.seed(1, {}, 61 * hourMs);
    await takeCensus(orderOf(rig, "doc-1"), signals);
    const near = rig.seed(3, {}, 61 * hourMs);
    rig.seed(2);
    await turn();
    const before = rig.callsOf("list");
    await proxy.cut();
    await expect.poll(() => rig.core.redis.isReady(), { timeout: 30_000 }).toBe(false);
    state.isRedisWell = false;
    clock.advance(5 * minuteMs - 1);
    await turn();
    expect(rig.callsOf("list")).toBe(before);

    clock.advance(1);
    await turn();
    await turn();
    expect(rig.callsOf("list")).toBe(before + 1);
    expect((await readArchive(dir)).ids.toSorted()).toEqual([...copiedBefore, ...near].toSorted());
    expect(rig.eventsOf("census:taken").at(-1)).toMatchObject({ depth: 6, expiringUnarchived: 0 });

    const later = rig.seed(1, {}, 62 * hourMs);
    clock.advance(censusMs - 1);
    await turn();
    expect(rig.callsOf("list")).toBe(before + 1);
    clock.advance(1);
    await turn();
    expect(rig.callsOf("list")).toBe(before + 2);
    const kept = [...copiedBefore, ...near, ...later];
    expect((await readArchive(dir)).ids.toSorted()).toEqual(kept.toSorted());

    await proxy.heal();
    await expect.poll(() => rig.core.redis.isReady(), { timeout: 30_000 }).toBe(true);
    state.isRedisWell = true;
    clock.advance(censusMs);
    await turn();
    expect(rig.callsOf("list")).toBe(before + 2);
    const late = rig.seed(1, {}, 63 * hourMs);
    await takeCensus(orderOf(rig, "doc-2"), signals);
    const twin = await createRig({
      redisUrl: redis.url(),
      twinOf: rig,
      drain: holding,
      document: `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`,
    });
    await takeCensus(orderOf(twin, "doc-3"), signals);
    expect((await readArchive(dir)).ids.toSorted()).toEqual([...kept, ...late].toSorted());
    const copied: string[] = [];
    for await (const { act, records } of openAuditReader(twin.core).read({ order: "oldest-first" })) {
      if (act === "copy") copied.push(...records.map(({ dlqId }) => dlqId));
    }
    expect(copied.toSorted()).toEqual([...kept, ...late].toSorted());
  });

  it("what is back in time is waited for anew", async () => {
    const { rig, clock, state, turn } = await createStand();
    const before = rig.callsOf("list");
    for (const isWell of [false, true, false]) {
      state.isRedisWell = isWell;
      clock.advance(4 * minuteMs);
      await turn();
    }
    expect(rig.callsOf("list")).toBe(before);
  });

  it("nothing is listed where there is no archive, and nothing of a source that is to be left alone", async () => {
    const bare = await createStand({ archive: false });
    const halted = await createStand();
    halted.rig.drain.source.health.halt("unauthorised", "the token is refused");
    for (const { rig, clock, state, turn } of [bare, halted]) {
      const before = rig.callsOf("list");
      state.isRedisWell = false;
      clock.advance(hourMs);
      await turn();
      expect(rig.callsOf("list")).toBe(before);
    }
    halted.rig.drain.source.health.resume();
    await halted.turn();
    expect(halted.rig.callsOf("list")).toBe(1);
  });

  it("a source that cannot be listed is told and keeps no look from coming", async () => {
    const { rig, clock, state, turn } = await createStand();
    rig.emulator.faults.add({ kind: "status", operation: "list", status: 400, count: 1 });
    state.isRedisWell = false;
    clock.advance(hourMs);
    await turn();
    expect(rig.eventsOf("census:failed")).toHaveLength(1);
    clock.advance(censusMs);
    await turn();
    expect(rig.eventsOf("census:taken")).toHaveLength(1);
  });
});

it.each([
  ["nothing is listed that somebody counted within its interval", censusMs - minuteMs, 0],
  ["what nobody counted since is listed", censusMs, 1],
])("while Redis is full or read-only it says when was counted: %s", async (_name, ageMs, expected) => {
  const { rig, clock, state, turn } = await createStand();
  const { book, ledger } = rig.drain.source;
  await book.recordCensus({ ...census, at: (await ledger.now()).at - ageMs });
  state.isRedisWell = false;
  clock.advance(hourMs);
  await turn();
  expect(rig.callsOf("list")).toBe(expected);
});
