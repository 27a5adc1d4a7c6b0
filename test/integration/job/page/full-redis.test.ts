import { afterEach, describe, expect, it } from "vitest";
import type { DlqId, MessageId } from "../../../../src/job/message/dead-letter.ts";
import type { Token } from "../../../../src/job/contracts/ids.ts";
import { parseInfo } from "../../../../src/job/redis/judge-server.ts";
import { checkFitness } from "../../../../src/job/redis/check-fitness-and-room.ts";
import { takeCensus } from "../../../../src/job/census/count-and-copy-expiring.ts";
import { openAuditReader, type BuiltSource } from "../../../../src/job/door.ts";
import { pause } from "../../../../src/people/operations/acts/pause.ts";
import { resume } from "../../../../src/people/operations/acts/resume.ts";
import { performAs } from "../../../support/perform.ts";
import { readArchive } from "../../../support/archives.ts";
import { createFolder } from "../../../support/command.ts";
import { createRig, never, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis("own");

/** A neighbour's: beside it, what connections take for their buffers is nothing. */
const fillerBytes = 50_000_000;

async function setMaxMemory(share: number | null): Promise<void> {
  const connection = redis.fresh();
  await connection.command("CONFIG", "SET", "maxmemory", 0);
  await connection.command("SETRANGE", "filler", fillerBytes, "x");
  const used = Number(parseInfo(await connection.command("INFO", "memory")).get("used_memory"));
  await connection.command("CONFIG", "SET", "maxmemory", share === null ? 0 : Math.floor(used / share));
}
afterEach(() => setMaxMemory(null));

const [one, two] = ["1760000000000-1" as DlqId, "1760000000000-2" as DlqId];

/** Begins one record of a page that was read now. */
async function begin({ drain: { source, config } }: Rig, dlqId: DlqId, token: string, previous?: string) {
  const { ledger } = source;
  return ledger.begin([{ dlqId, messageId: "msg_1" as MessageId, attempt: 1 }], {
    token: token as Token,
    drain: config.name,
    act: "republish",
    pageReadAt: (await ledger.now()).at,
    pastHorizon: "leave",
    ...(previous === undefined ? {} : { previous: { token: previous as Token, outcome: "unknown" } }),
  });
}

/** The answer to every DELETE is lost until the fault is taken away. */
async function rigWithPending(count: number): Promise<Rig> {
  const rig = await createRig({ redisUrl: redis.url() });
  rig.seed(count);
  rig.emulator.faults.add({ kind: "status", operation: "delete", status: 500, name: "deletes" });
  await rig.pass();
  rig.emulator.faults.remove("deletes");
  expect(rig.receiver.counts().size).toBe(count);
  expect(rig.emulator.dlq.size).toBe(count);
  return rig;
}

function census({ core, drain }: Rig, documentHash: string): Promise<unknown> {
  const { archive, document } = core;
  return takeCensus(
    { source: drain.source, drains: document.drains, documentHash, archive },
    { signal: never, stopping: never },
  );
}

describe("a Redis that is almost full", () => {
  it("holds what is new, with the reason, finishes what is begun, and goes on when it has room", async () => {
    const rig = await rigWithPending(5);
    await setMaxMemory(0.95);
    // Another process of the same installation: what it knows of the memory is what it asks now.
    const other = await createRig({ redisUrl: redis.url(), twinOf: rig });
    const before = rig.callsOf("batch");
    rig.seed(7);
    await other.fullPass();
    expect(rig.callsOf("batch")).toBe(before);
    const reasons = other.recordsOf("record:decided").map(({ decision }) => decision.reason);
    expect(reasons.filter((reason) => reason === "ledger-full")).toHaveLength(7);
    await other.sweep();
    expect(rig.emulator.dlq.size).toBe(7);
    expect((await checkFitness(other.core.redis)).problems).toMatchObject([
      { kind: "almost-full", weight: "hold", message: expect.stringContaining("raise maxmemory") as string },
    ]);
    await setMaxMemory(null);
    const later = await createRig({ redisUrl: redis.url(), twinOf: rig });
    await later.fullPass();
    expect(rig.emulator.dlq.size).toBe(0);
    expect(new Set(rig.receiver.counts().values())).toEqual(new Set([1]));
  });

  it("lets the next POST of what is held already go on", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    await begin(rig, one, "a");
    await setMaxMemory(0.95);
    const other = await createRig({ redisUrl: redis.url(), twinOf: rig });
    const begun = { kind: "answered", verdicts: [{ kind: "begun" }] };
    expect(await begin(other, one, "b", "a")).toMatchObject(begun);
    expect(await begin(other, two, "b")).toMatchObject({ kind: "ledger-full" });
  });
});

describe("a Redis whose memory is used up", () => {
  it("begins nothing, says how to get out of it, and still takes down what is proven", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    const { ledger } = rig.drain.source;
    await begin(rig, one, "a");
    await setMaxMemory(1.2);
    await expect(begin(rig, two, "a")).rejects.toMatchObject({
      code: "redis-unavailable",
      message: expect.stringContaining("OOM; maxmemory is reached; raise it") as string,
    });
    expect((await ledger.peek([one, two])).views).toMatchObject([{ state: "open" }, { state: "absent" }]);
    await ledger.published([
      { dlqId: one, as: "msg_3" as MessageId, attempt: 1, deletePending: true, drain: null, messageId: null },
    ]);
    expect((await ledger.pendingDeletes(10, 0)).entries).toHaveLength(1);
    expect(await ledger.gone([one])).toMatchObject({ count: 1 });
    expect((await ledger.summary()).pendingDelete).toBe(0);
  });

  it("lets a person pause all and resume, with both in the audit", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    await setMaxMemory(1.2);
    expect((await performAs(rig.core, pause, { all: true })).done).toHaveLength(1);
    const [{ pauses }] = [...rig.core.sources.values()] as [BuiltSource];
    expect(await pauses.all()).toMatchObject([{ drain: "*", by: "ann" }]);
    await performAs(rig.core, resume, { all: true });
    expect(await pauses.all()).toEqual([]);
    const acts: string[] = [];
    const reader = await openAuditReader(rig.core);
    for await (const { act } of reader.read({ order: "oldest-first" })) acts.push(act);
    expect(acts).toEqual(["pause", "resume"]);
  });

  it("keeps nothing from being copied that nears its expiry, once, and knows it when it has room", async () => {
    const dir = `${createFolder().path}/archive`;
    const options = {
      drain: `\n    rules: [{ name: all, when: any, then: hold }]\n`,
      document: `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`,
    };
    const rig = await createRig({ redisUrl: redis.url(), ...options });
    const near = rig.seed(120, {}, 61 * 3_600_000);
    await rig.drain.source.ledger.now();
    await setMaxMemory(1.2);
    for (const round of ["one", "two"]) {
      await expect(census(rig, round)).rejects.toMatchObject({ code: "redis-unavailable" });
      expect((await readArchive(dir)).ids.toSorted()).toEqual(near.toSorted());
    }
    await setMaxMemory(null);
    expect(await census(rig, "three")).toMatchObject({ expiringUnarchived: 0 });
    await census(await createRig({ redisUrl: redis.url(), twinOf: rig, ...options }), "four");
    expect((await readArchive(dir)).ids.toSorted()).toEqual(near.toSorted());
  });

  it("in the middle of a pass publishes no more, and is drained once when it has room", async () => {
    const rig = await createRig({
      redisUrl: redis.url(),
      // A page that was begun when Redis was full is not sent, and is another's after the takeover: 17 s.
      settings: { "passes.abandonAfter": "1s", "ledger.sendBy": "1s", "service.batchTimeout": "1s" },
    });
    rig.seed(250);
    rig.emulator.faults.add({ kind: "latency", operation: "batch", ms: 100 });
    const passing = rig.pass().catch((error: unknown) => error);
    await expect.poll(() => rig.recordsOf("record:published").length, { timeout: 30_000 }).toBeGreaterThan(0);
    await setMaxMemory(1.2);
    await passing;
    const sent = rig.callsOf("batch");
    await rig.pass().catch((error: unknown) => error);
    expect(rig.callsOf("batch")).toBe(sent);
    await setMaxMemory(null);
    await expect
      .poll(
        async () => {
          await rig.fullPass();
          await rig.sweep();
          return rig.emulator.dlq.size;
        },
        { timeout: 40_000, interval: 200 },
      )
      .toBe(0);
    // Deliveries come after their records have left.
    await expect.poll(() => rig.receiver.counts().size).toBe(250);
    expect([...rig.receiver.counts().values()]).toEqual(Array.from({ length: 250 }, () => 1));
  }, 120_000);
});
