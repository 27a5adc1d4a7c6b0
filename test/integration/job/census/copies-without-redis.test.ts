import { describe, expect, it, onTestFinished } from "vitest";
import { createCopyingWithoutRedis } from "../../../../src/job/daemon/keep-copies-without-redis.ts";
import { takeCensus } from "../../../../src/job/census/count-and-copy-expiring.ts";
import { idsOf } from "../../../support/audit-entry.ts";
import { auditOf } from "../../../support/audit-of.ts";
import { readArchive } from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { census } from "../../../support/metrics.ts";
import { createRig, hourMs, minuteMs, never, type Rig } from "../../../support/rig.ts";
import { createTcpProxy } from "../../../support/tcp-proxy.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const censusMs = 15 * minuteMs;

const holding = `
    beforeExpiry: { within: 12h, then: archive }
    rules: [{ name: all, when: any, then: hold }]
`;

const archiveOf = (dir: string): string => `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`;

/** A replica behind a path to Redis that can be cut, and its look for what nears its expiry. */
async function createStand(options: { readonly archive?: false } = {}) {
  const dir = `${createFolder().path}/archive`;
  const proxy = await createTcpProxy({ host: "127.0.0.1", port: Number(new URL(redis.url()).port) });
  onTestFinished(() => proxy.close());
  const rig = await createRig({
    redisUrl: `redis://127.0.0.1:${proxy.port}`,
    drain: holding,
    source: "{ retention: 3d, census: 15m }",
    document: options.archive === false ? "" : archiveOf(dir),
  });
  const clock = createManualClock();
  const state = { isRedisWell: true };
  const acquire = () => ({ core: rig.core, superseded: () => never, release: () => undefined });
  const turn = createCopyingWithoutRedis({
    live: { acquire },
    isRedisWell: () => state.isRedisWell,
    clock,
    events: rig.drain.source.events,
    stop: never,
  });
  /** Moves the clock and looks. Answers how often the source was listed meanwhile. */
  const turnAfter = async (ms: number): Promise<number> => {
    const before = rig.callsOf("list");
    clock.advance(ms);
    await turn();
    return rig.callsOf("list") - before;
  };
  const archived = async () => (await readArchive(dir)).ids.toSorted();
  return { rig, proxy, state, turn, turnAfter, archived, dir };
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
    const { rig, proxy, state, turn, turnAfter, archived, dir } = await createStand();
    const all = rig.seed(1, {}, 61 * hourMs);
    await takeCensus(orderOf(rig, "doc-1"), signals);
    all.push(...rig.seed(3, {}, 61 * hourMs));
    rig.seed(2);
    await turn();
    await proxy.cut();
    await expect.poll(() => rig.core.redis.isReady(), { timeout: 30_000 }).toBe(false);
    state.isRedisWell = false;
    expect(await turnAfter(5 * minuteMs - 1)).toBe(0);
    expect(await turnAfter(1)).toBe(1);
    expect(await turnAfter(0)).toBe(0);
    expect(await archived()).toEqual(all.toSorted());
    expect(rig.eventsOf("census:taken").at(-1)).toMatchObject({ depth: 6, expiringUnarchived: 0 });

    all.push(...rig.seed(1, {}, 62 * hourMs));
    expect(await turnAfter(censusMs - 1)).toBe(0);
    expect(await turnAfter(1)).toBe(1);
    expect(await archived()).toEqual(all.toSorted());

    await proxy.heal();
    await expect.poll(() => rig.core.redis.isReady(), { timeout: 30_000 }).toBe(true);
    state.isRedisWell = true;
    expect(await turnAfter(censusMs)).toBe(0);
    all.push(...rig.seed(1, {}, 63 * hourMs));
    await takeCensus(orderOf(rig, "doc-2"), signals);
    const document = archiveOf(dir);
    const twin = await createRig({ redisUrl: redis.url(), twinOf: rig, drain: holding, document });
    await takeCensus(orderOf(twin, "doc-3"), signals);
    expect(await archived()).toEqual(all.toSorted());
    expect(idsOf(await auditOf(twin.core, "copy")).toSorted()).toEqual(all.toSorted());
  });

  it("what is back in time is waited for anew", async () => {
    const { state, turnAfter } = await createStand();
    for (const isWell of [false, true, false]) {
      state.isRedisWell = isWell;
      expect(await turnAfter(4 * minuteMs)).toBe(0);
    }
  });

  it("nothing is listed where there is no archive, and nothing of a source that is to be left alone", async () => {
    const bare = await createStand({ archive: false });
    const halted = await createStand();
    const { health } = halted.rig.drain.source;
    health.halt("unauthorised", "the token is refused");
    for (const { state, turnAfter } of [bare, halted]) {
      state.isRedisWell = false;
      expect(await turnAfter(hourMs)).toBe(0);
    }
    health.resume();
    expect(await halted.turnAfter(0)).toBe(1);
  });

  it("a source that cannot be listed is told and keeps no look from coming", async () => {
    const { rig, state, turnAfter } = await createStand();
    rig.emulator.faults.add({ kind: "status", operation: "list", status: 400, count: 1 });
    state.isRedisWell = false;
    await turnAfter(hourMs);
    expect(rig.eventsOf("census:failed")).toHaveLength(1);
    await turnAfter(censusMs);
    expect(rig.eventsOf("census:taken")).toHaveLength(1);
  });
});

it.each([
  ["nothing is listed that somebody counted within its interval", censusMs - minuteMs, 0],
  ["what nobody counted since is listed", censusMs, 1],
])("while Redis is full or read-only it says when was counted: %s", async (_name, ageMs, expected) => {
  const { rig, state, turnAfter } = await createStand();
  const { book, ledger } = rig.drain.source;
  await book.recordCensus({ ...census, at: (await ledger.now()).at - ageMs });
  state.isRedisWell = false;
  expect(await turnAfter(hourMs)).toBe(expected);
});
