import { describe, expect, test } from "vitest";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";
import type { CapacityQuery } from "../../../../src/job/contracts/capacity.ts";
import type { LaneAsk } from "../../../../src/job/contracts/lanes.ts";
import type { Ledger } from "../../../../src/job/contracts/ledger.ts";
import { workPage } from "../../../../src/job/page/work-page.ts";
import { auditOf } from "../../../support/audit-of.ts";
import { newDir } from "../../../support/archive-rig.ts";
import { passWith } from "../../../support/pass-with.ts";
import { createRig, withLedger, never, type Rig, type RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const drain = `
    minAge: 0s
    attempts: { max: 5, wait: [0s] }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: over, when: { responseStatus: 410 }, then: drop }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;
const limits = `
    limits: { publish: 200/s, perHost: 100/s, perDay: 1000 }
${drain}`;
/** Its first step takes messages for half of the watch: longer than a pass takes on a busy machine. */
const lane = `
    lane: { canary: 50, watch: 1m }
${drain}`;

type Method = keyof Ledger;

const rigWith = (options: Partial<RigOptions> = {}): Promise<Rig> =>
  createRig({ redisUrl: redis.url(), drain, document: archiveOf(newDir()), ...options });
const archiveOf = (dir: string) => `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`;

/** A pass whose ledger, as a script that refuses whatever this id comes with, fails these calls. */
function passRefusing(rig: Rig, id: string, methods: readonly Method[], alwaysFull = false) {
  const { ledger } = rig.drain.source;
  const refuse =
    (method: Method) =>
    async (...args: readonly never[]): Promise<unknown> => {
      if (JSON.stringify(args[0]).includes(`"${id}"`)) {
        throw new RedriverError("invariant-broken", "Redis failed EVALSHA: ERR");
      }
      return (ledger[method] as (...given: readonly never[]) => unknown)(...args);
    };
  const refusing = Object.fromEntries(methods.map((method) => [method, refuse(method)]));
  return passOn(rig, refusing, alwaysFull);
}

const broken = () => Promise.reject(new TypeError("x is not a function"));

const passOn = (rig: Rig, ledger: Partial<Ledger>, alwaysFull = false) =>
  passWith(rig, withLedger(rig.drain.source, { ...rig.drain.source.ledger, ...ledger }), { alwaysFull });

async function stateOf(rig: Rig, id: string) {
  const { views } = await rig.drain.source.ledger.peek([id as DlqId]);
  return views[0];
}

async function expectSentOnce(rig: Rig): Promise<void> {
  await rig.emulator.idle();
  expect([...rig.receiver.counts().values()].filter((sent) => sent !== 1)).toEqual([]);
}

/** How many letters ask a lane or the rates. */
function asksOf(args: readonly unknown[]): number {
  const [query, , asks] = args as [Partial<CapacityQuery>, unknown, readonly LaneAsk[] | undefined];
  return query.requests?.length ?? asks?.reduce((sum, { wanted }) => sum + wanted, 0) ?? 0;
}

async function codesOf(rig: Rig, id: string): Promise<readonly (readonly string[] | undefined)[]> {
  const parked = (await auditOf(rig.core, "park")).flatMap(({ records }) => records);
  return parked.filter(({ dlqId }) => dlqId === id).map(({ notes }) => notes);
}

describe.each([
  ["without limits", drain, 250],
  ["with limits", limits, 150],
  ["with lanes", lane, 40],
])("a record that breaks its page %s", (_, body, count) => {
  test.each<[string, Method]>([
    ["as the ledger is asked", "look"],
    ["as it is begun", "begin"],
  ])("%s is parked alone, and all others are sent once", async (_name, method) => {
    const rig = await rigWith({ drain: body });
    const odd = rig.seed(count)[count >> 1] ?? "";
    const others = count - 1;
    const tally = { listed: count, republished: others, deleted: others, parked: 1 };
    expect(await passRefusing(rig, odd, [method])).toMatchObject({
      outcome: "complete",
      tally: { ...tally, reasons: { parked: { unworkable: 1 } } },
    });
    expect(rig.emulator.dlq.size).toBe(1);
    await expectSentOnce(rig);
    expect(rig.receiver.counts().size).toBe(others);
    expect(await stateOf(rig, odd)).toMatchObject({ state: "parked", reason: "unworkable" });
    expect(await codesOf(rig, odd)).toEqual([["invariant-broken"]]);
    expect(rig.eventsOf("record:unworkable")).toMatchObject([{ dlqId: odd, code: "invariant-broken" }]);
    expect(rig.eventsOf("window:failed")).toEqual([]);
  });
});

describe("a record that breaks its page", () => {
  test("by an error of our own is parked alone, whatever page it is on", async () => {
    const rig = await rigWith();
    rig.seed(230);
    const [odd = ""] = rig.seed(1, { body: "the odd one" });
    const real = rig.drain.source.checkItem;
    const checkItem: typeof real = (item, bytes) => {
      if (item.body === "the odd one") throw new RangeError("Maximum call stack size exceeded: the odd one");
      return real(item, bytes);
    };
    // Nobody halves a page for it again.
    for (const republished of [230, 0]) {
      expect(await passWith(rig, { checkItem }, { alwaysFull: true })).toMatchObject({
        outcome: "complete",
        tally: { republished, parked: 1 },
      });
      const told = rig.eventsOf("record:unworkable");
      expect(told).toMatchObject([{ code: "unexpected", dlqId: odd }]);
      expect(JSON.stringify(told)).not.toContain("the odd one");
    }
    await rig.drain.source.ledger.release([odd as DlqId]);
    expect(await rig.fullPass()).toMatchObject({ outcome: "complete", tally: { republished: 1 } });
    expect(rig.emulator.dlq.size).toBe(0);
  });

  test.each<[string, readonly Method[], Readonly<Record<string, unknown>>, object]>([
    ["as its park ends", ["release"], {}, { republished: 0, parked: 30, held: 0 }],
    ["as its fact is written, and its proof is in hand", ["published"], {}, { republished: 30, deleted: 30 }],
    ["as it is marked gone", ["gone"], {}, { republished: 30, deleted: 30 }],
    ["as it is archived", ["archived"], { responseStatus: 410 }, { deleted: 29, parked: 1 }],
    ["as a rule parks it", ["park"], { responseStatus: 422 }, { parked: 29, held: 1 }],
    ["and cannot be parked", ["look", "peek", "park"], {}, { republished: 29, parked: 0, held: 1 }],
    ["as an unreadable one", ["look"], { header: 5 }, { parked: 30, republished: 0 }],
    ["as an unreadable one is parked", ["park"], { header: 5 }, { parked: 29, held: 1 }],
  ])("%s is one alone, and each is counted once", async (_, methods, fields, tally) => {
    const rig = await rigWith();
    const ids = rig.seed(30, fields, 60_000);
    const { ledger } = rig.drain.source;
    if (methods[0] === "release") {
      const { name, rulesHash } = rig.drain.config;
      const parked = ids.map((dlqId) => ({ dlqId: dlqId as DlqId, reason: "vanished", attempt: 0 }) as const);
      await ledger.park(parked, { drain: name, rulesHash, token: null });
    }
    expect(await passRefusing(rig, ids[7] ?? "", methods)).toMatchObject({
      outcome: "complete",
      tally: { listed: 30, ...tally },
    });
    await expectSentOnce(rig);
  });

  test.each([
    ["as its lane is asked", "lanes", "ask", lane],
    ["as it takes capacity", "capacity", "take", limits],
  ] as const)("%s is parked alone, and the others take each grant once", async (_, port, method, body) => {
    const rig = await rigWith({ drain: body });
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
    expect(await passWith(rig, { [port]: watched })).toMatchObject({
      outcome: "complete",
      tally: { listed: 31, republished: 30, parked: 1, reasons: { parked: { unworkable: 1 } } },
    });
    expect(granted).toBe(30);
    expect(await stateOf(rig, odd ?? "")).toMatchObject({ state: "parked", reason: "unworkable" });
  });

  test("as it is parsed is parked alone", async () => {
    const rig = await rigWith();
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
    const rig = await rigWith();
    const odd = rig.seed(30)[7] ?? "";
    await passRefusing(rig, odd, ["look", "peek", "park"]);
    rig.seed(20);
    const asked: number[] = [];
    const { ledger } = rig.drain.source;
    const look: Ledger["look"] = (some, ...rest) => {
      asked.push(some.length);
      return ledger.look(some, ...rest);
    };
    expect(await passOn(rig, { look }, true)).toMatchObject({ tally: { republished: 21 } });
    expect(asked).toEqual([20, 1]);
  });

  test.each([
    ["a Redis that is away", new RedriverError("redis-unavailable", "gone")],
    ["a Redis that is unfit", new RedriverError("redis-unsuitable", "no right")],
    ["memory that is short", new RangeError("Array buffer allocation failed")],
    ["a file", Object.assign(new Error("EMFILE"), { syscall: "open" })],
  ])("is not looked for after a failure of the world: %s", async (_, error) => {
    const rig = await rigWith();
    rig.seed(30);
    let asked = 0;
    const look = () => {
      asked += 1;
      return Promise.reject(error);
    };
    await passOn(rig, { look }).catch(() => undefined);
    expect(asked).toBe(1);
    expect(rig.recordsOf("record:decided")).toEqual([]);
  });

  test("is one of ten at most: what breaks on all is no record's fault, and nothing more is parked", async () => {
    const rig = await rigWith();
    rig.seed(30);
    for (let pass = 0; pass < 2; pass += 1) {
      expect(await passOn(rig, { look: broken }, true)).toMatchObject({
        tally: { parked: 10, held: 20, reasons: { held: { unworkable: 20 } } },
      });
    }
  });
});
