import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { auditOf } from "../../../support/audit-of.ts";
import { createArchiveRig, kept, newDir } from "../../../support/archive-rig.ts";
import { hourMs, never, type Rig, type RigOptions } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";
import { workPage } from "../../../../src/job/page/work-page.ts";
import { RedriverError } from "../../../../src/job/contracts/errors.ts";

const redis = useRedis();

const rig = (dir: string | null, drain: string, options: Partial<RigOptions> = {}): Promise<Rig> =>
  createArchiveRig(redis.url(), dir, drain, options);

const dropOld = `    rules:
      - { name: old, when: { messageAge: "> 30h" }, then: drop }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

test("a rule's drop is in the archive, whole, before it is deleted, and is never published", async () => {
  const dir = newDir();
  const one = await rig(dir, dropOld);
  const old = one.seed(3, { topicName: "orders", unheardOf: { deep: [1] } }, 40 * hourMs);
  one.seed(2);
  expect(await one.pass()).toMatchObject({ outcome: "complete", tally: { republished: 2, deleted: 5 } });
  await one.emulator.idle();
  expect(one.emulator.dlq.size).toBe(0);
  expect(one.receiver.deliveries).toHaveLength(2);
  const entries = await kept(dir);
  expect(entries.map(({ dlqId }) => dlqId).toSorted()).toEqual(old.toSorted());
  for (const { dlqId, why, rule, drain, record } of entries) {
    expect([why, rule, drain]).toEqual(["dropped", "old", "main"]);
    expect(record).toMatchObject({ dlqId, topicName: "orders", unheardOf: { deep: [1] } });
  }
  expect(one.recordsOf("record:decided").filter(({ decision }) => decision.then === "drop")).toHaveLength(3);
});

test("what is dropped is deleted also if the page's counts cannot be told", async () => {
  const one = await rig(newDir(), dropOld);
  one.seed(3, {}, 40 * hourMs);
  const [due] = one.seed(1);
  const readAt = await one.drain.source.readAt();
  const { records } = await one.drain.source.service.list({ select: {}, count: 100 }, never);
  const away = new RedriverError("redis-unavailable", "it is away");
  const work = workPage(one.drain, { records, readAt }, never, { onTurn: () => Promise.reject(away) });
  await expect(work).rejects.toThrow("it is away");
  const left = await one.drain.source.service.list({ select: {}, count: 100 }, never);
  expect(left.records.map(({ dlqId }) => dlqId)).toEqual([due]);
});

test("without a working archive nothing is dropped, and what is not dropped goes on", async () => {
  const dir = newDir();
  const file = join(dir, "taken");
  writeFileSync(file, "");
  const one = await rig(file, dropOld);
  const old = one.seed(3, {}, 40 * hourMs);
  one.seed(2);
  await one.pass();
  expect(one.emulator.dlq.size).toBe(3);
  expect(one.eventsOf("archive:failed")[0]?.message).toContain(file);
  const held = one
    .recordsOf("record:decided")
    .filter(({ decision }) => decision.reason === "archive-missing");
  expect(held.map(({ dlqId }) => String(dlqId)).toSorted()).toEqual(old.toSorted());

  rmSync(file);
  await one.pass();
  expect(one.emulator.dlq.size).toBe(0);
  expect((await kept(file)).map(({ dlqId }) => dlqId).toSorted()).toEqual(old.toSorted());
});

test("an archive that stays full is not tried on every page: its intents would fill the audit", async () => {
  const file = join(newDir(), "taken");
  writeFileSync(file, "");
  const one = await rig(file, dropOld);
  one.seed(3, {}, 40 * hourMs);
  for (let pass = 0; pass < 6; pass += 1) await one.pass();
  // The second failure in a row is followed by a rest of 2 s, the third by one of 4 s.
  expect((await auditOf(one.core)).length).toBeLessThan(5);
  expect(one.core.archive?.problem()?.why).toContain(file);
});

test("a drop obeys a pause, and plan mode drops nothing", async () => {
  const dir = newDir();
  const paused = await rig(dir, dropOld);
  const source = paused.core.sources.get(paused.drain.source.config.id);
  await source?.pauses.pause({ drain: "*", reason: "look first", by: "me", at: Date.now() });
  const still = await rig(dir, `    paused: true\n${dropOld}`);
  const plan = await rig(dir, dropOld, { mode: "plan" });
  for (const one of [paused, still, plan]) {
    one.seed(1, {}, 40 * hourMs);
    await one.pass();
    expect(one.emulator.dlq.size).toBe(1);
  }
  expect(await kept(dir)).toEqual([]);
});
