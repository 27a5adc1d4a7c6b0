import { describe, expect, it } from "vitest";
import { RedriverError } from "../../../../../src/job/contracts/errors.ts";
import type { Audit, AuditEntry } from "../../../../../src/job/contracts/audit.ts";
import type { DlqId } from "../../../../../src/job/message/dead-letter.ts";
import type { MessageService } from "../../../../../src/job/contracts/service.ts";
import { auditOf } from "../../../../support/audit-of.ts";
import { passWith } from "../../../../support/pass-with.ts";
import type { SourceRuntime } from "../../../../../src/job/runtime.ts";
import { createStand } from "../../../../support/archives.ts";
import { createRig } from "../../../../support/rig.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();
const fast = `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    limits: { publish: 1000/s, perHost: 1000/s }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
      - { name: broken, when: { responseStatus: 422 }, then: park }
`;

const shapeOf = (entries: readonly AuditEntry[]): readonly (readonly [string, number])[] =>
  entries.map(({ act, records }) => [act, records.length]);

const away = (): Promise<never> => Promise.reject(new RedriverError("redis-unavailable", "away"));

/** The ledger without the audit's entries that ride on its calls, so that each is written on its own. */
function withoutAudit(ledger: SourceRuntime["ledger"]): SourceRuntime["ledger"] {
  return {
    ...ledger,
    begin: (requests, options) => ledger.begin(requests, { ...options, audit: [] }),
    published: (facts) => ledger.published(facts),
  };
}

/** An audit as it is while Redis does not take it. */
function awayFor(audit: Audit, acts: readonly string[]): Audit {
  return {
    append: (entries) => (entries.some(({ act }) => acts.includes(act)) ? away() : audit.append(entries)),
    record: (entries) => audit.record(entries),
  };
}

describe("the acts of a pass", () => {
  it("are written one entry per batch, each before it is done", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: fast });
    rig.seed(150);
    rig.seed(30, { responseStatus: 422 });
    const seen: Record<string, (readonly [string, number])[]> = {};
    const { service } = rig.drain.source;
    const watched: MessageService = {
      list: (query, signal) => service.list(query, signal),
      clockOffsetMs: () => service.clockOffsetMs(),
      publish: async (...args) => {
        (seen["publish"] ??= []).push(shapeOf(await auditOf(rig.core)).at(-1) ?? ["nothing", 0]);
        return service.publish(...args);
      },
      remove: async (...args) => {
        (seen["delete"] ??= []).push(shapeOf(await auditOf(rig.core)).at(-1) ?? ["nothing", 0]);
        return service.remove(...args);
      },
    };
    await passWith(rig, { service: watched });
    expect(seen["publish"]?.every(([act]) => act === "republish")).toBe(true);
    expect(seen["delete"]?.every(([act]) => act === "delete")).toBe(true);

    const entries = await auditOf(rig.core);
    const counts = new Map<string, number>();
    for (const [act, count] of shapeOf(entries)) counts.set(act, (counts.get(act) ?? 0) + count);
    expect(Object.fromEntries(counts)).toEqual({ park: 30, republish: 150, published: 150, delete: 150 });
    const batches = rig.emulator.journal.counts().requests["batch 200"] ?? 0;
    expect(entries.filter(({ act }) => act === "republish")).toHaveLength(batches);
    expect(entries.find(({ act }) => act === "republish")).toMatchObject({
      by: expect.stringMatching(/^daemon .+-\d+$/),
      source: "default",
      drain: "main",
      documentHash: rig.core.document.hash,
      records: expect.arrayContaining([
        { dlqId: expect.any(String), rule: "outage", reason: "due", attempt: 1, host: expect.any(String) },
      ]),
    });
  });

  it("name the pass and its document, whatever the act; those of a sweep name none", async () => {
    const { dir } = createStand();
    const rig = await createRig({
      redisUrl: redis.url(),
      source: "{ retention: 3d }",
      document: `archive: { dir: ${dir}, keep: 30d }\n`,
      drain: `${fast}      - { name: old, when: { responseStatus: 410 }, then: drop }\n`,
    });
    rig.seed(2);
    rig.seed(1, { responseStatus: 422 }, 71 * 3_600_000);
    rig.seed(1, { responseStatus: 410 });
    await rig.pass();
    const [first] = rig.eventsOf("pass:opened");
    const entries = await auditOf(rig.core);
    expect(new Set(entries.map(({ act }) => act))).toEqual(
      new Set(["copy", "park", "republish", "published", "drop", "delete"]),
    );
    const { hash } = rig.core.document;
    for (const entry of entries) expect(entry).toMatchObject({ passId: first?.passId, documentHash: hash });

    rig.seed(1);
    await rig.drain.source.passes.forceFull(rig.drain.config.name);
    rig.emulator.faults.add({ kind: "status", operation: "delete", status: 503, count: 1 });
    await rig.pass();
    await rig.sweep();
    const acts = (await auditOf(rig.core)).slice(entries.length);
    expect(acts.map(({ act, passId }) => [act, passId === undefined])).toEqual([
      ["republish", false],
      ["published", false],
      ["delete", false],
      ["delete", true],
    ]);
  });

  it("are not repeated for what is parked or held and listed again", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: fast });
    rig.seed(5, { responseStatus: 422 });
    rig.seed(5, { responseStatus: 404 });
    for (let pass = 0; pass < 3; pass += 1) await rig.pass();
    expect(shapeOf(await auditOf(rig.core))).toEqual([["park", 5]]);
  });
});

describe("what cannot be written into the audit", () => {
  it("is not published; it waits, and is published once when it can be", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: fast });
    rig.seed(20);
    const { audit, ledger } = rig.drain.source;
    await passWith(rig, { audit: awayFor(audit, ["republish"]), ledger: withoutAudit(ledger) });
    expect(rig.emulator.journal.entries("accepted")).toEqual([]);
    expect(rig.emulator.journal.counts().requests["batch 200"]).toBeUndefined();
    expect(await auditOf(rig.core)).toEqual([]);
    expect(await rig.drain.source.ledger.summary()).toMatchObject({ open: 0 });
    await expect
      .poll(
        async () => {
          rig.advance(15_000);
          await rig.pass();
          return rig.emulator.dlq.size;
        },
        { timeout: 30_000, interval: 100 },
      )
      .toBe(0);
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()]).toEqual(Array.from({ length: 20 }, () => 1));
  });

  it("is not parked", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: fast });
    const [id = ""] = rig.seed(1, { responseStatus: 422 });
    const { audit, ledger } = rig.drain.source;
    await passWith(rig, { audit: awayFor(audit, ["park"]) });
    expect(rig.eventsOf("window:failed")).toMatchObject([{ code: "redis-unavailable" }]);
    expect((await ledger.peek([id as DlqId])).views).toEqual([{ state: "absent" }]);
  });
});
