import { describe, expect, it } from "vitest";
import type { DlqId } from "../../../../src/message/dead-letter.ts";
import { behindTheHorizon, createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

const patient = `
    minAge: 0s
    attempts: { max: 2, wait: [0s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

describe("a message that comes back", () => {
  it("keeps its root, counts its attempts and is parked when they are spent", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: patient });
    rig.receiver.answer = () => 503;
    rig.seed(3, { maxRetries: 0 });
    const rounds = [];
    for (let round = 0; round < 3; round += 1) {
      rounds.push(await rig.pass());
      await rig.emulator.idle();
      await behindTheHorizon(rig);
    }
    expect(rounds).toMatchObject([
      { tally: { republished: 3, parked: 0 } },
      { tally: { republished: 3, comeBacks: 3, parked: 0 } },
      { tally: { republished: 0, comeBacks: 3, parked: 3 } },
    ]);
    expect(rig.emulator.dlq.size).toBe(3);
    const lineages = rig.receiver.deliveries.map(({ headers }) => headers["x-redriver"]);
    expect(lineages).toHaveLength(6);
    expect(lineages.every((value) => typeof value === "string" && value.startsWith("v1."))).toBe(true);
    expect(rig.eventsOf("record:decided").at(-1)).toMatchObject({
      decision: { then: "park", reason: "attempts-exhausted" },
    });
  }, 120_000);

  it("settles a parent whose publication the ledger has forgotten, instead of publishing it again", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: patient });
    rig.receiver.answer = () => 503;
    const [parent] = rig.seed(1, { maxRetries: 0 });
    const record = structuredClone(rig.emulator.dlq.find(parent!)!);
    await rig.pass();
    await rig.emulator.idle();
    await rig.core.redis.command("FLUSHALL");
    rig.emulator.dlq.seed([{ ...record, dlqId: parent! }]);
    rig.receiver.answer = () => 200;
    await behindTheHorizon(rig);
    await rig.pass();
    await rig.emulator.idle();
    expect(rig.emulator.dlq.size).toBe(0);
    // Once for the publication before the flush, once for the come-back's own redrive.
    expect(rig.receiver.deliveries).toHaveLength(2);
  }, 120_000);
});

describe("passes after the first", () => {
  it("list only what is new and what has become due, and a full one finds the rest", async () => {
    const rig = await createRig({
      redisUrl: redis.url(),
      drain: `
    schedule: { every: 1s, full: 1h }
    minAge: 0s
    rules:
      - { name: bad, when: { responseStatus: 422 }, then: park }
`,
    });
    rig.seed(450, { responseStatus: 422 }, 60 * 60_000);
    const lists = (): number => rig.emulator.journal.counts().requests["list 200"] ?? 0;
    await rig.pass();
    const first = lists();
    await rig.pass();
    expect(lists() - first).toBe(1);
    rig.seed(1, { responseStatus: 422 }, 10_000);
    const result = await rig.pass();
    expect(result).toMatchObject({ tally: { listed: 1, parked: 1 } });
    await rig.drain.source.passes.forceFull(rig.drain.config.name);
    expect(await rig.pass()).toMatchObject({ tally: { listed: 451 } });
  });

  it("come back to a held record in the minute in which it is due", async () => {
    const rig = await createRig({
      redisUrl: redis.url(),
      drain: `
    schedule: { every: 1s, full: 1h }
    minAge: 2s
    attempts: { max: 5, wait: [3605s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`,
    });
    rig.seed(10);
    expect(await rig.pass()).toMatchObject({ tally: { held: 10, republished: 0 } });
    expect(await rig.pass()).toMatchObject({ tally: { listed: 0 } });
    await expect
      .poll(async () => (await rig.pass()) as { tally: { republished: number } }, {
        timeout: 30_000,
        interval: 500,
      })
      .toMatchObject({ tally: { republished: 10 } });
  }, 60_000);
});

describe("what cannot be rebuilt", () => {
  it.each([
    ["binary-body", { body: "", bodyBase64: Buffer.from([0xff, 0xfe]).toString("base64") }],
    ["redacted", { body: `REDACTED:${"a".repeat(64)}` }],
    ["bad-destination", { url: "ftp://example.com/x" }],
    ["workflow", { workflowRunId: "wfr_1" }],
    ["unjoinable-header", { header: { "Set-Cookie": ["a=1", "b=2"] } }],
  ])("is parked: %s", async (reason, fields) => {
    const rig = await createRig({ redisUrl: redis.url() });
    const [id] = rig.seed(1, fields);
    expect(await rig.pass()).toMatchObject({
      outcome: "complete",
      tally: { parked: 1, republished: 0, deleted: 0 },
    });
    expect(rig.emulator.dlq.size).toBe(1);
    const { views } = await rig.drain.source.ledger.look([id as DlqId]);
    expect(views).toMatchObject([{ state: "parked", reason }]);
  });

  it("is parked when it has no dlqId, without touching anything", async () => {
    const rig = await createRig({ redisUrl: redis.url() });
    rig.seed(1, { dlqId: null });
    // It has no time of its own: it entered just now, and the horizon is 5 s behind.
    await expect
      .poll(async () => (await rig.pass()) as object, { timeout: 30_000, interval: 500 })
      .toMatchObject({ outcome: "complete", tally: { parked: 1, republished: 0 } });
    expect(rig.eventsOf("record:decided")).toMatchObject([{ decision: { reason: "no-dlq-id" } }]);
    expect(rig.emulator.journal.counts().deleted).toBe(0);
  });
});
