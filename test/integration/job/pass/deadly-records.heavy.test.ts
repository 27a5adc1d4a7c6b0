import { expect, it } from "vitest";
import type { DlqId, MessageId } from "../../../../src/job/message/dead-letter.ts";
import type { Census } from "../../../../src/job/contracts/source-book.ts";
import { takeCensus, type CensusOrder } from "../../../../src/job/census/count-and-copy-expiring.ts";
import { createPagesInFlight } from "../../../../src/job/pass/pages-in-flight.ts";
import { workWindow } from "../../../../src/job/pass/work-window.ts";
import type { DrainRuntime, SourceRuntime } from "../../../../src/job/runtime.ts";
import { createSweepMemory, sweep } from "../../../../src/job/sweep/sweep.ts";
import { amplePageMemory } from "../../../support/ample-memory.ts";
import { createStand } from "../../../support/archives.ts";
import { publishedFact } from "../../../support/ledger-stands.ts";
import { openWindow } from "../../../support/pass-with.ts";
import { useRedis } from "../../../support/redis.ts";
import { createRig, never, type Rig } from "../../../support/rig.ts";

const redis = useRedis();

type Port = "ledger" | "service" | "audit" | "copies";
interface Stage {
  readonly port: Port;
  readonly method: string;
  /** Whether the call has had its effect by then. */
  readonly when: "before" | "after";
}

/** A worker that ends whenever a record with this id is in a call: from then on it does nothing. */
function dying(rig: Rig, id: () => string, { port, method, when }: Stage) {
  const death = new AbortController();
  const forever = new Promise<never>(() => undefined);
  const { source } = rig.drain;
  const mortal = <Of extends object>(one: Of, deadly: string | null): Of =>
    Object.fromEntries(
      Object.entries(one).map(([name, member]: readonly [string, unknown]) => [
        name,
        typeof member !== "function"
          ? member
          : async (...args: readonly unknown[]): Promise<unknown> => {
              if (death.signal.aborted) return forever;
              const call = (): unknown => (member as (...given: unknown[]) => unknown).apply(one, [...args]);
              if (name !== deadly || !textOf(args).includes(id())) return call();
              if (when === "after") await call();
              death.abort();
              return forever;
            },
      ]),
    ) as Of;
  const names = ["ledger", "audit", "copies", "passes"] as const;
  const parts = Object.fromEntries(
    names.map((name) => [name, mortal(source[name], name === port ? method : null)]),
  ) as Pick<SourceRuntime, (typeof names)[number]>;
  const service = {
    ...mortal(source.service, port === "service" ? method : null),
    clockOffsetMs: source.service.clockOffsetMs,
  };
  const drain: DrainRuntime = {
    ...rig.drain,
    source: {
      ...source,
      ...parts,
      // Of its own: what the dead hold is free again.
      takeBatchTurn: () => Promise.resolve(() => undefined),
      memory: amplePageMemory(),
      pagesInFlight: createPagesInFlight(),
      ledger: { ...parts.ledger, limits: source.ledger.limits },
      service,
    },
  };
  const died = new Promise<"died">((resolve) =>
    death.signal.addEventListener("abort", () => resolve("died")),
  );
  return { drain, died };
}

/** As far as a call shows an id: batches have it in their bytes. A Buffer would write itself as a list of numbers. */
function textOf(args: readonly unknown[]): string {
  return JSON.stringify(args, function (this: Readonly<Record<string, unknown>>, key, value: unknown) {
    const given = this[key];
    if (given instanceof Uint8Array) return Buffer.from(given).toString("latin1");
    return given instanceof AbortSignal ? null : value;
  });
}

const stage = (port: Port, method: string, when: Stage["when"]): readonly [string, Stage] => [
  `${when} ${port}.${method}`,
  { port, method, when },
];

/** Works it again and again, each time by another worker, until one lives. Answers how many were lost. */
async function outlive(
  rig: Rig,
  work: (worker: ReturnType<typeof dying>, hasStalled: boolean) => Promise<unknown>,
  odd: string,
  deadly: Stage,
): Promise<number> {
  for (let deaths = 0; deaths < 20; deaths += 1) {
    const worker = dying(rig, () => odd, deadly);
    if ((await Promise.race([work(worker, deaths > 0), worker.died])) !== "died") return deaths;
    rig.advance(1);
  }
  throw new Error("its workers are lost for ever");
}

const stateOf = async ({ drain }: Rig, id: string) =>
  (await drain.source.ledger.peek([id as DlqId])).views[0];

/** All but the odd one were delivered, once each. */
async function expectOthersOnce(rig: Rig, count: number): Promise<void> {
  await rig.emulator.idle();
  const counts = [...rig.receiver.counts().values()];
  expect(counts.filter((times) => times !== 1)).toEqual([]);
  expect(counts.length).toBeGreaterThanOrEqual(count - 1);
}

const passOver = (rig: Rig, odd: string, deadly: Stage) => async () => {
  await rig.drain.source.passes.forceFull(rig.drain.config.name);
  const first = await openWindow(rig);
  const left = [first];
  let deaths = 0;
  for (let work = left.shift(); work !== undefined; work = left.shift()) {
    const { windowId } = work;
    let split: readonly { readonly windowId: string }[] = [];
    deaths += await outlive(
      rig,
      async ({ drain }, hasStalled) =>
        ({ split } = await workWindow(drain, { ...first, windowId, hasStalled })),
      odd,
      deadly,
    );
    left.push(...split.map((one) => ({ ...first, windowId: one.windowId })));
  }
  return deaths;
};

const parkedAlone = { state: "parked", reason: "unworkable" };
const isSent = { state: expect.stringMatching(/^(published|gone)$/) as unknown };

it.each<[name: string, stage: Stage, becomes: object, left: readonly number[]]>([
  [...stage("ledger", "look", "before"), parkedAlone, [1]],
  [...stage("ledger", "begin", "before"), parkedAlone, [1]],
  [...stage("ledger", "begin", "after"), parkedAlone, [1]],
  [...stage("service", "publish", "before"), parkedAlone, [1]],
  [...stage("service", "publish", "after"), parkedAlone, [1]],
  [...stage("ledger", "published", "before"), parkedAlone, [1]],
  [...stage("ledger", "published", "after"), isSent, [0, 1]],
  [...stage("service", "remove", "before"), isSent, [0, 1]],
  [...stage("service", "remove", "after"), isSent, [0, 1]],
  [...stage("ledger", "gone", "before"), isSent, [0, 1]],
  [...stage("ledger", "gone", "after"), isSent, [0, 1]],
])(
  "a record that ends the worker of its window, %s, is parked alone, or never sent again, and all others go once",
  async (_, deadly, becomes, left) => {
    const rig = await createRig({ redisUrl: redis.url() });
    const odd = rig.seed(120)[50]!;
    const pass = passOver(rig, odd, deadly);
    expect(await pass()).toBeLessThanOrEqual(8);
    await expectOthersOnce(rig, 120);
    expect(left).toContain(rig.emulator.dlq.size);
    expect(await stateOf(rig, odd)).toMatchObject(becomes);
    // Nobody is lost for it again.
    rig.advance(61_000);
    expect(await pass()).toBe(0);
    expect(left).toContain(rig.emulator.dlq.size);
    await expectOthersOnce(rig, 120);
  },
);

const begun = async (rig: Rig, ids: readonly string[], publish: boolean): Promise<void> => {
  const { source, config } = rig.drain;
  const { at: pageReadAt } = await source.ledger.now();
  const requests = ids.map((dlqId) => ({
    dlqId: dlqId as DlqId,
    messageId: "msg_x" as MessageId,
    attempt: 1,
  }));
  const by = { token: source.identities.token(), drain: config.name, act: "republish" } as const;
  await source.ledger.begin(requests, { ...by, pageReadAt, pastHorizon: "leave" });
  if (publish) await source.ledger.published(ids.map(publishedFact));
  rig.advance(61_000);
};
const sweeping = (rig: Rig, odd: string, deadly: Stage) =>
  outlive(
    rig,
    ({ drain }, hasStalled) => {
      const drains = new Map([[drain.config.name, drain]]);
      return sweep(drain.source, drains, createSweepMemory(drain.source.clock), never, never, hasStalled);
    },
    odd,
    deadly,
  );

it.each<[name: string, stage: Stage, wasPublished: boolean, becomes: object]>([
  [...stage("ledger", "look", "before"), false, parkedAlone],
  [...stage("ledger", "begin", "before"), false, parkedAlone],
  [...stage("service", "remove", "before"), true, { state: "published" }],
])(
  "a record that ends its sweep, %s, is parked alone or stays, and all others go once",
  async (_, deadly, wasPublished, becomes) => {
    const rig = await createRig({ redisUrl: redis.url() });
    const ids = rig.seed(60);
    const odd = ids[20]!;
    await begun(rig, ids, wasPublished);
    expect(await sweeping(rig, odd, deadly)).toBeLessThanOrEqual(8);
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()]).toEqual(Array(wasPublished ? 0 : 59).fill(1));
    expect(rig.emulator.dlq.size).toBe(1);
    expect(await stateOf(rig, odd)).toMatchObject(becomes);
    expect(await sweeping(rig, odd, deadly)).toBe(0);
  },
);

const census = (
  rig: Rig,
  odd: string,
  deadly: Stage,
  documentHash: string,
  archive: CensusOrder["archive"],
) => {
  let taken: Census | null = null;
  return outlive(
    rig,
    async ({ drain: { source } }, hasStalled) => {
      const order = { source, drains: [], documentHash, archive };
      taken = await takeCensus(order, { signal: never, stopping: never }, hasStalled);
    },
    odd,
    deadly,
  ).then((deaths) => ({ deaths, taken }));
};

it.each([stage("copies", "missing", "before"), stage("copies", "copied", "before")])(
  "a record that ends its census, %s, is counted in the depth alone, and all others are copied",
  async (_, deadly) => {
    const rig = await createRig({ redisUrl: redis.url(), source: "{ retention: 3d }" });
    const odd = rig.seed(60, {}, 71 * 3_600_000)[20]!;
    const { archive } = createStand();
    const first = await census(rig, odd, deadly, "doc-1", archive);
    expect(first.deaths).toBeLessThanOrEqual(8);
    expect(first.taken).toMatchObject({ depth: 60, unselected: 59, expiringUnarchived: 0 });
    expect((await census(rig, odd, deadly, "doc-2", archive)).deaths).toBe(0);
  },
);
