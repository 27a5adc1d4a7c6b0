import { expect, it } from "vitest";
import { readStatus } from "../../../../../src/people/operations/status/read.ts";
import { toNowHeadline } from "../../../../../src/people/operations/status/headline.ts";
import { toNeeds } from "../../../../../src/people/operations/status/needs.ts";
import type { Tally } from "../../../../../src/job/contracts/tally.ts";
import { takeCensus } from "../../../../../src/job/census/count-and-copy-expiring.ts";
import type { SourceRuntime } from "../../../../../src/job/runtime.ts";
import { passWith } from "../../../../support/pass-with.ts";
import { createReadRig } from "../../../../support/read-rig.ts";
import { replica } from "../../../../support/statuses.ts";
import { useRedis } from "../../../../support/redis.ts";
import { createRig, minuteMs, never, oneCursor, type Rig } from "../../../../support/rig.ts";

const redis = useRedis();
const signals = { signal: never, stopping: never };

/** One pass: what is told of it before each listing, as often as it changes. */
async function whilePassing(rig: Rig) {
  const { drain } = rig;
  const { service, passes } = drain.source;
  const told: Tally[] = [];
  let now = 0;
  await passWith(rig, {
    // The row is written every 2 s.
    clock: { ...drain.source.clock, monotonic: () => (now += 3_000) },
    service: {
      ...service,
      list: async (query, signal) => {
        const open = (await passes.facts(drain.config.name))?.openPass;
        if (open && open.soFar.listed !== told.at(-1)?.listed) told.push(open.soFar);
        return service.list(query, signal);
      },
    },
  });
  return told;
}

it("an open pass tells what it has found so far", async () => {
  const rig = await createRig({ redisUrl: redis.url(), ...oneCursor });
  rig.seed(230, { responseStatus: 404 });
  const none = { listed: 0, republished: 0, due: 0, held: 0, parked: 0 };
  const pages = [0, 100, 200].map((listed) => ({ ...none, listed, held: listed }));
  expect((await whilePassing(rig)).slice(0, 3)).toMatchObject(pages);
});

it("counts what waits for proof as neither going nor, before its time, in doubt", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(3);
  rig.emulator.faults.add({ kind: "half-failed-group" });
  expect(await rig.pass()).toMatchObject({ tally: { inDoubt: 3 } });
  // Whoever began them may hold them still: they are open, and not yet unknown.
  const status = await readStatus(rig.core, { nextRuns: new Map(), problems: 0, now: Date.now() });
  expect(status.sources).toMatchObject([{ open: 3, unknown: 0 }]);
  expect(status.drains).toMatchObject([
    { drain: "main", inDoubt: 0, outlook: { waiting: 3, waitingForProof: 3, going: 0, atRateMs: null } },
  ]);
  const running = { ...status, replicas: [replica("one")] };
  expect(toNowHeadline(running, toNeeds(running)).text).toMatch(
    /^waiting: 3 of 3 left, 3 wait for proof, tried again from \d\d:\d\d UTC$/,
  );
}, 120_000);

it.each([
  ["page", async (rig: Rig, parts: Partial<SourceRuntime>) => void (await passWith(rig, parts))],
  [
    "first census",
    async ({ core, drain }: Rig, parts: Partial<SourceRuntime>) => {
      const order = { drains: core.document.drains, documentHash: "d", archive: null };
      await takeCensus({ ...order, source: { ...drain.source, ...parts } }, signals);
    },
  ],
])("a %s tells what it has listed before it has a result", async (_what, work) => {
  const rig = await createRig({ redisUrl: redis.url(), ...oneCursor });
  rig.seed(130, { responseStatus: 503 });
  const { service } = rig.drain.source;
  const told: (number | undefined)[] = [];
  const tell = async (): Promise<void> => {
    const { drains } = await readStatus(rig.core, { nextRuns: new Map(), problems: 0, now: Date.now() });
    told.push(drains[0]?.outlook.waiting);
  };
  const list: typeof service.list = async (...asked) => {
    if (told.length > 0 || asked[0].cursor !== undefined) await tell();
    return service.list(...asked);
  };
  const publish: typeof service.publish = async (...asked) => {
    await tell();
    return service.publish(...asked);
  };
  await work(rig, { service: { ...service, list, publish } });
  expect(told[0]).toBe(100);
});

it("knows when all of a source was last listed without a fault, and if that is too long ago", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  const listed = async (ms = 0) =>
    (await readStatus(rig.core, { nextRuns: new Map(), problems: 0, now: Date.now() + ms })).sources[0]
      ?.listed;
  const told = replica("one", { documentHash: rig.core.document.hash });
  await rig.pass();
  // No replica goes on.
  expect(await listed()).toMatchObject({ isLate: true });
  await rig.core.replicas.announce(told);
  const at = expect.any(Number) as number;
  expect(await listed()).toEqual({ at, isLate: false });
  expect(await listed(10 * minuteMs)).toEqual({ at, isLate: true });
  const rest = { source: rig.drain.source.config.id, state: "halted", code: "unauthorised" } as const;
  await rig.core.replicas.announce({ ...told, resting: [rest] });
  expect(await listed()).toEqual({ at, isLate: true });
  await rig.core.replicas.announce(told);
  rig.emulator.faults.add({ kind: "status", operation: "list", status: 401 });
  await rig.pass().catch(() => undefined);
  expect(await listed()).toEqual({ at, isLate: true });
});

it("knows until when the service asked for a pause, and takes no rate of before for one of now", async () => {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(250);
  const { service } = rig.drain.source;
  let published = 0;
  const publish: typeof service.publish = async (...asked) => {
    const limit = { status: 429, limit: "burst", resetInS: 600 } as const;
    if ((published += 1) === 2) rig.emulator.faults.add({ kind: "status", operation: "batch", ...limit });
    return service.publish(...asked);
  };
  await passWith(rig, { service: { ...service, publish } });
  const { sources, drains } = await readStatus(rig.core, {
    nextRuns: new Map(),
    problems: 0,
    now: Date.now() + 6_000,
  });
  const [pause] = sources[0]?.servicePauses ?? [];
  expect(pause).toEqual({ calls: "publish", until: expect.any(Number) as number });
  expect((pause?.until ?? 0) - Date.now()).toBeGreaterThan(500_000);
  expect(drains).toMatchObject([{ outlook: { waiting: 150, perSecond: null } }]);
});

it("has not listed all of a source by a drain that selects some: what no drain selects is the census's", async () => {
  const rig = await createReadRig({ redisUrl: redis.url(), drain: "    select: { queueName: orders }\n" });
  await rig.core.replicas.announce(replica("one"));
  const listed = async () =>
    (await readStatus(rig.core, { nextRuns: new Map(), problems: 0, now: Date.now() })).sources[0]?.listed;
  await rig.pass();
  expect(await listed()).toEqual({ at: null, isLate: true });
  await rig.census();
  expect(await listed()).toMatchObject({ isLate: false });
});
