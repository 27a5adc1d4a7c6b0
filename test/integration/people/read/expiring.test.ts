import { describe, expect, it } from "vitest";
import type { DrainName } from "../../../../src/job/contracts/ids.ts";
import type { ExpiringOfDrain } from "../../../../src/job/contracts/queue-facts.ts";
import { toSaved, toSaveTexts } from "../../../../src/people/operations/status/expiring.ts";
import { readStatus } from "../../../../src/people/operations/status/read.ts";
import { toUnsentText, toVerdict } from "../../../../src/people/operations/status/verdict.ts";
import { toNeedsOfKind } from "../../../../src/people/operations/failures/needs-of-kind.ts";
import { toFailureTable } from "../../../../src/people/cli/failures/command.ts";
import { Destinations } from "../../../../src/people/console/parts/destinations.tsx";
import { toEarliestExpiry } from "../../../../src/people/read/expiring.ts";
import { toUnselected } from "../../../../src/people/read/of-no-drain.ts";
import { readFailureViews } from "../../../../src/people/read/read-failures.ts";
import { readQueueFacts } from "../../../../src/people/read/queue-facts.ts";
import { createFolder } from "../../../support/command.ts";
import { createReadRig, type ReadRig } from "../../../support/read-rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const hourMs = 3_600_000;
const now = 1_796_000_000_000;

const rules = `
    minAge: 0s
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: lost, when: { responseStatus: 410 }, then: park }
`;
const held = { responseStatus: 404 };
const binary = { due: {}, held: {}, parked: { "binary-body": 9 } };
const mixed = { ...binary, parked: { rule: 32, "binary-body": 9 } };
const viaService = "add a rule `via: service` first (serviceRetry of the source)";

async function expiring({ core }: ReadRig) {
  const [source] = (await readQueueFacts(core)).sources;
  if (source === undefined) throw new Error("the rig has a source");
  return source.expiring;
}

/** What is read of it at another time. */
async function readAt({ core }: ReadRig, now: number) {
  const sources = [...core.sources].map(([id, { runtime, ...built }]) => {
    return [id, { ...built, runtime: { ...runtime, clock: { ...runtime.clock, now: () => now } } }] as const;
  });
  const then = { ...core, sources: new Map(sources) } as typeof core;
  const status = await readStatus(then, { nextRuns: new Map(), problems: 0, now });
  return { status, failures: await readFailureViews(then, now) };
}

const open = (more: Partial<Parameters<typeof createReadRig>[0]> = {}): Promise<ReadRig> =>
  createReadRig({ redisUrl: redis.url(), source: "{ retention: 3d }", drain: rules, ...more });

describe("what expires within a day", () => {
  it("is not known before anything has counted the source, and is not 0", async () => {
    const rig = await open();
    rig.seed(5, held, 60 * hourMs);
    expect(await expiring(rig)).toMatchObject({ count: null, atLeast: 0, asOf: null, groups: [] });
  });

  it("is known from a full pass, without a census, and what is published is taken off", async () => {
    const rig = await open();
    const [first] = rig.seed(5, held, 71.5 * hourMs);
    rig.seed(7, { responseStatus: 410 }, 60 * hourMs);
    rig.seed(4, { responseStatus: 503 }, 60 * hourMs);
    rig.seed(9, held, 20 * hourMs);
    await rig.pass();
    const found = await expiring(rig);
    expect(found).toMatchObject({ count: 12, atLeast: 12, asOf: expect.any(Number) as number });
    expect(found.groups).toMatchObject([
      { count: 5, drains: [{ drain: "main", parked: 0 }] },
      { count: 7, drains: [{ drain: "main", parked: 7 }] },
    ]);
    const enteredAt = Number(first?.split("-")[0]);
    expect(found.groups[0]?.earliestAt).toBe(enteredAt + 72 * hourMs);
  });

  it("shows what a pass has seen so far as at least so many, until everything is counted", async () => {
    const rig = await open({ drain: `    select: { responseStatus: 404 }\n${rules}` });
    rig.seed(5, held, 60 * hourMs);
    const lost = rig.seed(3, { responseStatus: 500 }, 61 * hourMs);
    await rig.pass();
    // What no drain selects, nobody has counted.
    expect(await expiring(rig)).toMatchObject({ count: null, atLeast: 5, asOf: null });
    await rig.census();
    const found = await expiring(rig);
    expect(found).toMatchObject({ count: 8, atLeast: 8 });
    expect(found.groups).toMatchObject([
      { count: 3, drains: [] },
      { count: 5, drains: [{ drain: "main" }] },
    ]);
    expect(found.groups[0]?.earliestAt).toBe(Number(lost[0]?.split("-")[0]) + 72 * hourMs);
  });

  it("tells how many of a kind go in its first hour, and that some of them may be gone", async () => {
    const rig = await open({ drain: `    select: { responseStatus: 404 }\n${rules}` });
    const lost = { responseStatus: 500 };
    rig.seed(2, lost, 71.9 * hourMs);
    rig.seed(3, lost, 60 * hourMs);
    rig.seed(4, held, 62 * hourMs);
    await rig.pass();
    await rig.census();
    const [first, next] = (await expiring(rig)).groups;
    expect(first).toMatchObject({ failure: null, count: 5, inFirstHour: 2 });
    expect(toUnsentText(await rig.status(first!.earliestAt + 1))).toMatch(
      /^9 expire unless a person acts, less what is gone since \d\d:\d\d UTC, the next kind in \d+h/,
    );
    expect(next).toMatchObject({ count: 4 });
    // An hour that is over has taken its own: every place of a screen says so.
    const at = first!.earliestAt + 2 * hourMs;
    const { status: later } = await readAt(rig, at);
    expect(toUnselected(later.sources, at)).toMatchObject({ count: 3, isExact: true });
    expect(later.expiring.groups[1]).toMatchObject({ failure: null, count: 3 });
  });

  it("makes every count of what waits one at most, until the next full pass", async () => {
    const rig = await open();
    rig.seed(5, held, 71.99 * hourMs);
    rig.seed(3, held, 20 * hourMs);
    await rig.pass();
    const said = async (now: number): Promise<readonly string[]> => {
      const { status, failures } = await readAt(rig, now);
      const [failure] = failures;
      return [
        toVerdict(status),
        toFailureTable(Infinity, [failure!], now),
        String(await Destinations({ status })),
        toNeedsOfKind({ failure: failure!, lanes: [], planned: new Set(), isPaused: () => false })[0]!.what,
      ];
    };
    const [verdict, table, destinations, need] = await said(Date.now());
    expect(verdict).toMatch(/^not running: no replica, 8 waiting; .*; 8 of them held by rules/);
    expect([table, destinations, need].join("\n")).not.toMatch(/at most|<=/i);
    const [late, lateTable, lateDestinations, lateNeed] = await said(Date.now() + hourMs);
    expect(late).toMatch(/no replica, at most 8 waiting; at most 8 of them held by rules/);
    expect(lateTable).toMatch(/ <=8 /);
    expect(lateDestinations).toMatch(/at most 8 wait.*class="count">at most 8</s);
    expect(lateNeed).toBe("At most 8 are held by rules");
  });

  it("is the census's while no full pass has ended", async () => {
    const rig = await open();
    rig.seed(5, held, 60 * hourMs);
    rig.seed(2, held, 20 * hourMs);
    await rig.census();
    expect(await expiring(rig)).toMatchObject({ count: 5, atLeast: 5, asOf: expect.any(Number) as number });
  });

  it("falls with what a later pass publishes, and goes on with the day until the next full pass", async () => {
    const rig = await open({ drain: rules.replace("minAge: 0s", "minAge: 49h") });
    rig.seed(6, { responseStatus: 503 }, 48.5 * hourMs);
    await rig.pass();
    expect(await expiring(rig)).toMatchObject({ count: 6 });
    rig.advance(hourMs);
    await rig.pass();
    expect(rig.emulator.dlq.size).toBe(0);
    expect(await expiring(rig)).toMatchObject({ count: 0, groups: [] });
  });

  it("is everything where the retention is a day or less", async () => {
    const rig = await open({ source: "{ retention: 1d }" });
    rig.seed(5, held, 0);
    rig.advance(10_000);
    await rig.pass();
    expect(await expiring(rig)).toMatchObject({ count: 5 });
  });

  it("is what nothing sends, each record once, the first of all of them, with what would send it", async () => {
    const money = `  money:
    mode: live
    select: { topicName: money }
    rules: [{ name: lost, when: { responseStatus: 410 }, then: park }]
`;
    const rig = await open({ mode: "plan", drain: rules + money });
    const [first] = rig.seed(5, { ...held, topicName: "money" }, 71 * hourMs);
    rig.seed(7, { responseStatus: 410, topicName: "money" }, 60 * hourMs);
    // The other drain lists them too, and holds them: a plan of this one is enough.
    rig.seed(4, { responseStatus: 503, topicName: "money" }, 61 * hourMs);
    await rig.pass();
    await rig.passOf("money");
    const { expiring: found } = await rig.status();
    expect(found).toMatchObject({ count: 16, unsent: { atLeast: 16, isExact: true } });
    expect(found.unsent.earliestAt).toBe(Number(first?.split("-")[0]) + 72 * hourMs);
    expect(found.groups.map((group) => [group.count, toSaveTexts(group).map(({ text }) => text)])).toEqual([
      [5, ["no rule sends these: add one"]],
      [4, [`redriver plan main --failure ${String(found.groups[1]?.failure)} --keep`]],
      [7, [`redriver parked release --failure ${String(found.groups[2]?.failure)} --reason ...`]],
    ]);
  });

  it.each<[string, Record<string, unknown> & Partial<ExpiringOfDrain>, number | null, readonly string[]]>([
    ["is halted", { lane: { state: "halted" } }, 0, ["probe"]],
    ["goes by itself", {}, 0, []],
    ["is paused", { paused: { drain: "*" } }, 9, ["resume"]],
    ["is held while it is paused", { paused: { drain: "*" }, ruled: { "hold otherwise": 9 } }, 9, ["rule"]],
    ["is held behind a halt", { lane: { state: "halted" }, ruled: { "hold x": 9 } }, 9, ["rule"]],
    ["is parked in part", { parked: 4, waiting: 5, ruled: { "republish x": 9 } }, 4, ["release"]],
    ["is parked for what it is", { parked: 9, waiting: 0, reasons: binary }, 9, [viaService]],
    [
      "is parked for what it is, of others a rule parks",
      { parked: 9, waiting: 0, reasons: mixed },
      9,
      [viaService],
    ],
    [
      "is released to a rule via: service",
      { parked: 9, waiting: 0, reasons: binary, mayUseService: true },
      9,
      ["release"],
    ],
    ["is held in part", { ruled: { "hold x": 4, "republish x": 5 } }, null, ["rule"]],
  ])(
    "is told of a kind that %s",
    (_name, { ruled = { "republish x": 9 }, waiting = 9, parked = 0, ...by }, unsent, acts) => {
      const of = { drain: "main" as DrainName, count: 9, waiting, parked, ruled } as const;
      const group = {
        failure: "a",
        origin: "https://a.example",
        count: 9,
        earliestAt: 0,
        inFirstHour: null,
        copied: null,
      };
      const found = toSaved({ ...group, drains: [of] }, () => ({
        mode: "live",
        paused: null,
        lane: null,
        hostPause: null,
        hostPauses: [],
        reasons: { due: {}, held: {}, parked: { refused: parked } },
        mayUseService: false,
        ...by,
      }));
      const saves = found.saves.map(({ act, advice }) => advice ?? act);
      expect([found.isUnsentExact ? found.unsent : null, saves]).toEqual([unsent, acts]);
    },
  );

  it("says of copies only what the last census has met", async () => {
    const rig = await open({
      document: `archive: { dir: "${createFolder({}).path}", volume: durable }\n`,
      drain: `    select: { responseStatus: [404, 410] }\n${rules}`,
    });
    rig.seed(5, held, 65 * hourMs);
    rig.seed(2, { responseStatus: 500 }, 64 * hourMs);
    rig.seed(3, { responseStatus: 410 }, 50 * hourMs);
    await rig.fullPass();
    expect((await expiring(rig)).groups.map(({ copied }) => copied)).toEqual([null, null]);
    rig.seed(1, held, 66 * hourMs);
    await rig.census({ documentHash: "before" });
    // One of them has no copy, and nobody knows which.
    expect((await expiring(rig)).groups.map(({ copied }) => copied)).toEqual([null, null, null]);
    await rig.census({ archive: rig.drain.archive });
    expect((await expiring(rig)).groups.map(({ copied }) => copied)).toEqual([5, 2, null]);
  });
});

it("the oldest of a drain is of a kind that is there, and none expires that was sent, before the next full pass too", async () => {
  const rig = await open({ drain: rules.replace("minAge: 0s", "minAge: 2h") });
  const [first] = rig.seed(3, { responseStatus: 503 }, 1.9 * hourMs);
  const [other] = rig.seed(2, held, 0.5 * hourMs);
  const oldestAt = async (): Promise<number | null | undefined> =>
    (await readQueueFacts(rig.core)).drains[0]?.facts?.oldestRecordAt;
  await rig.pass();
  expect(await oldestAt()).toBe(Number(first?.split("-")[0]));
  rig.advance(0.2 * hourMs);
  await rig.pass();
  expect(rig.emulator.dlq.size).toBe(2);
  expect(await oldestAt()).toBe(Number(other?.split("-")[0]));
  // Of one kind of which the first were sent since it was counted.
  const hour = Math.floor(now / hourMs);
  const kind = { oldestAt: now - 71.5 * hourMs, expires: { [hour]: 0, [hour + 5]: 2 } };
  expect(toEarliestExpiry(kind, 72 * hourMs, now)).toBe((hour + 5) * hourMs);
});

describe("since when a kind fails", () => {
  it("is when its first dead letter entered the queue, not when redriver first looked", async () => {
    const rig = await open();
    const [first] = rig.seed(5, held, 5 * hourMs);
    await rig.pass();
    rig.seed(5, held, 0);
    rig.advance(10_000);
    await rig.pass();
    const status = await rig.status();
    const at = Number(first?.split("-")[0]);
    expect(status.drains[0]?.destinations[0]?.failingSince).toBe(at);
    expect(status.drains[0]?.failures?.[0]?.since).toBe(at);
  });

  it("stays when the oldest are published, and begins anew after the queue had none", async () => {
    const rig = await open({ drain: rules.replace("minAge: 0s", "minAge: 2h") });
    const [first] = rig.seed(3, { responseStatus: 503 }, 1.5 * hourMs);
    await rig.pass();
    rig.seed(3, { responseStatus: 503 }, 0);
    rig.advance(hourMs);
    await rig.pass();
    const since = async (): Promise<number | null | undefined> =>
      (await readQueueFacts(rig.core)).drains[0]?.facts?.failures[0]?.since;
    expect(rig.emulator.dlq.size).toBe(3);
    expect(await since()).toBe(Number(first?.split("-")[0]));
    rig.advance(2 * hourMs);
    await rig.fullPass();
    expect(rig.emulator.dlq.size).toBe(0);
    expect(await since()).toBeNull();
    const [again] = rig.seed(1, { responseStatus: 503 }, -3 * hourMs);
    rig.advance(10_000);
    await rig.pass();
    expect(await since()).toBe(Number(again?.split("-")[0]));
  });
});
