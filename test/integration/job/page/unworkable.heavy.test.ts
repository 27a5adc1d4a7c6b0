import { describe, expect, test } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { CapacityQuery } from "../../../../src/job/contracts/capacity.ts";
import type { LaneAsk } from "../../../../src/job/contracts/lanes.ts";
import type { Ledger } from "../../../../src/job/contracts/ledger.ts";
import { runPassInProcess, type PassInProcess } from "../../../../src/job/pass/drain-in-process.ts";
import { workPage } from "../../../../src/job/page/work-page.ts";
import type { DrainRuntime } from "../../../../src/job/runtime.ts";
import { sourceKeys } from "../../../../src/job/store/keys.ts";
import { openAuditReader } from "../../../../src/job/compose/open-readers.ts";
import { createArchiveRig, newDir } from "../../../support/archive-rig.ts";
import { createRig, withLedger, type Rig, type RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const never = new AbortController().signal;

const drain = `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
const limits = `
    limits: { publish: 200/s, perHost: 100/s, perDay: 1000 }
${drain}`;
/** Its first step takes messages for half of the watch: longer than a pass takes on a busy machine. */
const lane = `
    lane: { canary: 50, watch: 1m }
${drain}`;

const dropped = `    rules:
      - { name: over, when: { responseStatus: 410 }, then: drop }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

type Method = keyof Ledger;
type OddOptions = Pick<RigOptions, "drain" | "mode"> & {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly at: number;
};

/** As a script that refuses whatever an id comes with. */
function refusing(ledger: Ledger, id: () => string, methods: readonly Method[]): Ledger {
  const refuse =
    (method: Method) =>
    async (...args: readonly never[]): Promise<unknown> => {
      if (JSON.stringify(args[0]).includes(`"${id()}"`)) {
        throw new RedriverError("invariant-broken", "Redis failed EVALSHA: ERR");
      }
      return (ledger[method] as (...given: readonly never[]) => unknown)(...args);
    };
  return { ...ledger, ...Object.fromEntries(methods.map((method) => [method, refuse(method)])) };
}

function passOf(runtime: DrainRuntime, rig: Rig): Promise<PassInProcess> {
  const { passes } = rig.core.settings;
  return runPassInProcess(runtime, passes, { signal: never, stopping: never }, () => undefined);
}

/** So many letters, one of which the ledger refuses in these calls. */
async function withOdd(count: number, methods: readonly Method[], options: Partial<OddOptions> = {}) {
  const { fields = {}, at = 7, ...rest } = options;
  const rig = await createRig({ redisUrl: redis.url(), drain, ...rest });
  const ids = rig.seed(count, fields);
  const odd = ids[at] ?? "";
  const source = withLedger(
    rig.drain.source,
    refusing(rig.drain.source.ledger, () => odd, methods),
  );
  return {
    rig,
    ids,
    odd,
    pass: () => passOf({ ...rig.drain, source }, rig),
    async fullPass() {
      await source.passes.forceFull(rig.drain.config.name);
      return passOf({ ...rig.drain, source }, rig);
    },
  };
}

async function stateOf(rig: Rig, id: string) {
  const { views } = await rig.drain.source.ledger.peek([id as DlqId]);
  return views[0];
}

/** How many letters ask a lane or the rates. */
function asksOf(args: readonly unknown[]): number {
  const [query, , asks] = args as [Partial<CapacityQuery>, unknown, readonly LaneAsk[] | undefined];
  return query.requests?.length ?? asks?.reduce((sum, { wanted }) => sum + wanted, 0) ?? 0;
}

async function codesOf(rig: Rig, id: string): Promise<readonly (readonly string[] | undefined)[]> {
  const codes = [];
  for await (const { act, records } of openAuditReader(rig.core).read({ order: "oldest-first" })) {
    if (act !== "park") continue;
    codes.push(...records.filter(({ dlqId }) => dlqId === id).map(({ notes }) => notes));
  }
  return codes;
}

describe.each([
  ["without limits", drain, 250],
  ["with limits", limits, 150],
  ["with lanes", lane, 40],
])("a record that breaks its page %s", (_, body, count) => {
  test.each<[string, readonly Method[]]>([
    ["as the ledger is asked", ["look"]],
    ["as it is begun", ["begin"]],
  ])("%s is parked alone, and all others are sent once", async (_name, methods) => {
    const { rig, odd, pass } = await withOdd(count, methods, { drain: body, at: count >> 1 });
    expect(await pass()).toMatchObject({
      kind: "closed",
      outcome: "complete",
      tally: {
        listed: count,
        republished: count - 1,
        deleted: count - 1,
        parked: 1,
        reasons: { parked: { unworkable: 1 } },
      },
    });
    expect(rig.emulator.dlq.size).toBe(1);
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()].filter((sent) => sent !== 1)).toEqual([]);
    expect(rig.receiver.counts().size).toBe(count - 1);
    expect(await stateOf(rig, odd)).toMatchObject({ state: "parked", reason: "unworkable" });
    expect(await codesOf(rig, odd)).toEqual([["invariant-broken"]]);
    expect(rig.eventsOf("record:unworkable")).toMatchObject([{ dlqId: odd, code: "invariant-broken" }]);
    expect(rig.eventsOf("window:failed")).toEqual([]);
  });
});

describe("a record that breaks its page", () => {
  test("by an error of our own is parked alone, whatever page it is on", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    const ids = rig.seed(230);
    rig.seed(1, { body: "the odd one" });
    const { checkItem } = rig.drain.source;
    const source = {
      ...rig.drain.source,
      checkItem: (...[item, bytes]: Parameters<typeof checkItem>) => {
        if (item.body === "the odd one")
          throw new RangeError("Maximum call stack size exceeded: the odd one");
        return checkItem(item, bytes);
      },
    };
    const runtime = { ...rig.drain, source };
    expect(await passOf(runtime, rig)).toMatchObject({
      outcome: "complete",
      tally: { republished: ids.length },
    });
    expect(rig.emulator.dlq.size).toBe(1);
    const [event] = rig.eventsOf("record:unworkable");
    expect(event).toMatchObject({ code: "unexpected" });
    expect(JSON.stringify(event)).not.toContain("the odd one");

    // Nobody halves a page for it again, and it goes once it can.
    await rig.drain.source.passes.forceFull(rig.drain.config.name);
    expect(await passOf(runtime, rig)).toMatchObject({
      outcome: "complete",
      tally: { parked: 1, republished: 0 },
    });
    expect(rig.eventsOf("record:unworkable")).toHaveLength(1);
    await rig.drain.source.ledger.release([event?.dlqId as DlqId]);
    await rig.drain.source.passes.forceFull(rig.drain.config.name);
    expect(await passOf(rig.drain, rig)).toMatchObject({ outcome: "complete", tally: { republished: 1 } });
    expect(rig.emulator.dlq.size).toBe(0);
  });

  test("and cannot be parked either is held, and disturbs nobody", async () => {
    const { rig, fullPass } = await withOdd(120, ["look", "peek", "park"]);
    for (const republished of [119, 0]) {
      expect(await fullPass()).toMatchObject({
        outcome: "complete",
        tally: { republished, held: 1, parked: 0, reasons: { held: { unworkable: 1 } } },
      });
    }
    expect(rig.emulator.dlq.size).toBe(1);
  });

  test("as its fact is written is deleted all the same: the proof is in hand", async () => {
    const { rig, ids, pass } = await withOdd(30, ["published"]);
    expect(await pass()).toMatchObject({
      outcome: "complete",
      tally: { republished: 30 },
    });
    expect(rig.emulator.dlq.size).toBe(0);
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()]).toEqual(ids.map(() => 1));
  });

  test("as it is parked by a rule is parked as unworkable or held, and the others are parked", async () => {
    const { pass } = await withOdd(30, ["park"], { fields: { responseStatus: 422 } });
    expect(await pass()).toMatchObject({
      outcome: "complete",
      tally: { listed: 30, parked: 29, held: 1, reasons: { parked: { rule: 29 }, held: { unworkable: 1 } } },
    });
  });

  test.each<[string, Method, Readonly<Record<string, unknown>>, object]>([
    ["as its park ends", "release", {}, { republished: 0, parked: 30, held: 0 }],
    ["as it is marked gone", "gone", {}, { republished: 30, deleted: 30 }],
    ["as it is archived", "archived", { responseStatus: 410 }, { deleted: 29, parked: 1 }],
    ["as an unreadable one", "look", { header: 5 }, { listed: 30, parked: 30, republished: 0 }],
    ["as an unreadable one is parked", "park", { header: 5 }, { listed: 30, parked: 29, held: 1 }],
  ])("%s is one alone, and each is counted once", async (_, method, fields, tally) => {
    const rig = await createArchiveRig(redis.url(), newDir(), dropped);
    const ids = rig.seed(30, fields, 60_000);
    const odd = ids[7] ?? "";
    const { ledger } = rig.drain.source;
    if (method === "release") {
      const { name, rulesHash } = rig.drain.config;
      const parked = ids.map((dlqId) => ({ dlqId: dlqId as DlqId, reason: "vanished", attempt: 0 }) as const);
      await ledger.park(parked, { drain: name, rulesHash, token: null });
    }
    const source = withLedger(
      rig.drain.source,
      refusing(ledger, () => odd, [method]),
    );
    const pass = await passOf({ ...rig.drain, source }, rig);
    expect(pass).toMatchObject({ outcome: "complete", tally: { listed: 30, ...tally } });
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()].filter((sent) => sent !== 1)).toEqual([]);
  });

  test.each([
    ["as its lane is asked", "lanes", "ask", lane],
    ["as it takes capacity", "capacity", "take", limits],
  ] as const)("%s is parked alone, and the others take each grant once", async (_, port, method, body) => {
    const rig = await createRig({ redisUrl: redis.url(), drain: body });
    rig.seed(30);
    const [odd] = rig.seed(1, { url: "http://odd.localhost/hook" });
    let granted = 0;
    const real = rig.drain.source[port] as unknown as Record<
      string,
      (...args: unknown[]) => Promise<unknown>
    >;
    const watched = {
      ...real,
      [method]: async (...args: unknown[]) => {
        if (JSON.stringify(args).includes("odd.localhost")) throw new TypeError("x is not a function");
        granted += asksOf(args);
        return real[method]?.(...args);
      },
    };
    const source = { ...rig.drain.source, [port]: watched };
    expect(await passOf({ ...rig.drain, source }, rig)).toMatchObject({
      outcome: "complete",
      tally: { listed: 31, republished: 30, parked: 1, reasons: { parked: { unworkable: 1 } } },
    });
    expect(granted).toBe(30);
    expect(await stateOf(rig, odd ?? "")).toMatchObject({ state: "parked", reason: "unworkable" });
  });

  test("as it is parsed is parked alone", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    rig.seed(5);
    const page = await rig.drain.source.service.list({ select: {}, count: 100, toDate: Date.now() }, never);
    const odd = { dlqId: `${Date.now() - 60_000}-0`, url: "http://a.example" };
    Object.defineProperty(odd, "body", {
      enumerable: true,
      get: () => {
        throw new RangeError("Maximum call stack size exceeded");
      },
    });
    const { at: readAt } = await rig.drain.source.ledger.peek([]);
    const { tally } = await workPage(rig.drain, { records: [...page.records, odd], readAt }, never);
    expect(tally).toMatchObject({ listed: 6, republished: 5, parked: 1 });
    expect(await stateOf(rig, odd.dlqId)).toMatchObject({ state: "parked", reason: "unworkable" });
  });

  test("known, breaks no batch of the others again", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    const ids = rig.seed(30);
    const odd = ids[7] ?? "";
    const asked: number[] = [];
    const { ledger } = rig.drain.source;
    const refused = refusing(ledger, () => odd, ["look", "peek", "park"]);
    const look: Ledger["look"] = (some, ...rest) => {
      asked.push(some.length);
      return refused.look(some, ...rest);
    };
    const source = withLedger(rig.drain.source, { ...refused, look });
    await passOf({ ...rig.drain, source }, rig);
    rig.seed(20);
    asked.length = 0;
    await source.passes.forceFull(rig.drain.config.name);
    expect(await passOf({ ...rig.drain, source }, rig)).toMatchObject({
      tally: { republished: 20, held: 1 },
    });
    expect(asked).toEqual([20, 1]);
  });

  test("in plan mode is counted, and nothing is written about it", async () => {
    const { rig, odd, pass } = await withOdd(30, ["look"], { mode: "plan" });
    expect(await pass()).toMatchObject({
      outcome: "complete",
      tally: { due: 29, parked: 1, reasons: { parked: { unworkable: 1 } } },
    });
    expect(await stateOf(rig, odd)).toEqual({ state: "absent" });
  });

  test("in the ledger's own keys is found as well", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    const ids = rig.seed(120);
    const odd = ids[70] ?? "";
    const { entryPrefix } = sourceKeys(rig.core.settings.redis.keyPrefix, rig.drain.source.config.id);
    await rig.core.redis.command("SET", `${entryPrefix}${odd}`, '{"s":');
    expect(await rig.pass()).toMatchObject({ outcome: "complete", tally: { republished: 119 } });
    expect(rig.emulator.dlq.size).toBe(1);
  });

  test.each([
    ["a Redis that is away", new RedriverError("redis-unavailable", "gone")],
    ["a Redis that is unfit", new RedriverError("redis-unsuitable", "no right")],
    ["memory that is short", new RangeError("Array buffer allocation failed")],
    ["a file", Object.assign(new Error("EMFILE"), { syscall: "open" })],
  ])("is not looked for after a failure of the world: %s", async (_, error) => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    rig.seed(30);
    let asked = 0;
    const { ledger } = rig.drain.source;
    const source = withLedger(rig.drain.source, {
      ...ledger,
      look: () => {
        asked += 1;
        return Promise.reject(error);
      },
    });
    await passOf({ ...rig.drain, source }, rig).catch(() => undefined);
    expect(asked).toBe(1);
    expect(rig.recordsOf("record:decided")).toEqual([]);
  });

  test("is one of ten at most: what breaks on all is no record's fault, and nothing more is parked", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    rig.seed(30);
    const { ledger } = rig.drain.source;
    const source = withLedger(rig.drain.source, {
      ...ledger,
      look: () => Promise.reject(new TypeError("x is not a function")),
    });
    for (let pass = 0; pass < 2; pass += 1) {
      await source.passes.forceFull(rig.drain.config.name);
      expect(await passOf({ ...rig.drain, source }, rig)).toMatchObject({
        tally: { parked: 10, held: 20, reasons: { held: { unworkable: 20 } } },
      });
    }
  });
});
