import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createArchiveReader } from "../../../../src/archive/create-archive-reader.ts";
import type { ArchiveEntry } from "../../../../src/ports/archive.ts";
import { workPage } from "../../../../src/redrive/page/work-page.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const hourMs = 3_600_000;

function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "redriver-drop-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const fail = ({ file, why }: { file: string; why: string }): never => {
  throw new Error(`${file}: ${why}`);
};

async function kept(dir: string): Promise<readonly ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for await (const entry of createArchiveReader(dir).entries({}, fail)) entries.push(entry);
  return entries;
}

const rig = (
  dir: string | null,
  drain: string,
  options: Partial<Parameters<typeof createRig>[0]> = {},
): Promise<Rig> =>
  createRig({
    redisUrl: redis.url(),
    drain: `\n    minAge: 1s\n    attempts: { max: 5, wait: [1s] }\n${drain}`,
    ...(dir === null ? {} : { document: `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n` }),
    ...options,
  });

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
  expect(entries.map(({ dlqId, why, rule, drain }) => [dlqId, why, rule, drain])).toEqual(
    old.map((dlqId) => [dlqId, "dropped", "old", "main"]),
  );
  expect(entries[0]?.record).toMatchObject({ dlqId: old[0], topicName: "orders", unheardOf: { deep: [1] } });
  expect(one.eventsOf("record:decided").filter(({ decision }) => decision.then === "drop")).toHaveLength(3);
});

test("a drop waits for minAge as a republish does: the young one stays in the queue", async () => {
  const dir = newDir();
  const drain = `    minAge: 10m
    rules:
      - { name: over, when: { responseStatus: 410 }, then: drop }
`;
  const one = await createRig({
    redisUrl: redis.url(),
    drain: `\n${drain}`,
    document: `archive: { dir: ${dir}, keep: 30d, volume: ephemeral }\n`,
  });
  const young = one.seed(2, { responseStatus: 410 }, 5 * 60_000);
  const old = one.seed(2, { responseStatus: 410 }, 60 * 60_000);
  expect(await one.pass()).toMatchObject({ outcome: "complete", tally: { deleted: 2 } });
  expect((await kept(dir)).map(({ dlqId }) => dlqId)).toEqual(old);
  const held = one.eventsOf("record:decided").filter(({ decision }) => decision.reason === "too-young");
  expect(new Set(held.map(({ dlqId }) => dlqId))).toEqual(new Set(young));
  expect(one.emulator.dlq.size).toBe(2);
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
  const held = one.eventsOf("record:decided").filter(({ decision }) => decision.reason === "archive-missing");
  expect(held.map(({ dlqId }) => dlqId)).toEqual(old);

  rmSync(file);
  await one.pass();
  expect(one.emulator.dlq.size).toBe(0);
  expect((await kept(file)).map(({ dlqId }) => dlqId)).toEqual(old);
});

test("a drop obeys a pause, and plan mode drops nothing", async () => {
  const dir = newDir();
  const paused = await rig(dir, dropOld);
  paused.seed(1, {}, 40 * hourMs);
  const source = paused.core.sources.get(paused.drain.source.config.id);
  await source?.pauses.pause({ drain: "*", reason: "look first", by: "me", at: Date.now() });
  await paused.pass();
  expect(paused.emulator.dlq.size).toBe(1);

  const still = await rig(dir, `    paused: true\n${dropOld}`);
  still.seed(1, {}, 40 * hourMs);
  await still.pass();
  expect(still.emulator.dlq.size).toBe(1);

  const plan = await rig(dir, dropOld, { mode: "plan" });
  plan.seed(1, {}, 40 * hourMs);
  await plan.pass();
  expect(plan.emulator.dlq.size).toBe(1);
  expect(await kept(dir)).toEqual([]);
});

test("what nears its expiry is copied once, whatever holds it, and stays", async () => {
  const dir = newDir();
  const holds = `    beforeExpiry: { within: 12h, then: archive }
    rules:
      - { name: never, when: { responseStatus: 422 }, then: park }
`;
  for (const mode of ["live", "plan"] as const) {
    const one = await rig(dir, holds, { mode });
    const parked = one.seed(2, { responseStatus: 422 }, 61 * hourMs);
    const held = one.seed(2, { responseStatus: 503 }, 71 * hourMs);
    one.seed(2, { responseStatus: 503 }, 30 * hourMs);
    const odd = one.seed(1, { url: 7 }, 70 * hourMs);
    await one.pass();
    await one.drain.source.passes.forceFull(one.drain.config.name);
    expect(await one.pass()).toMatchObject({ tally: { listed: 7 } });
    expect(one.emulator.dlq.size).toBe(7);
    const copies = (await kept(dir)).filter(({ dlqId }) => [...parked, ...held, ...odd].includes(dlqId));
    expect(copies.map(({ dlqId }) => dlqId).toSorted()).toEqual([...parked, ...held, ...odd].toSorted());
    expect(copies.every(({ why }) => why === "near-expiry")).toBe(true);
    expect(one.eventsOf("archive:copied")).toMatchObject([{ count: 5, drain: "main" }]);
  }
});

test("an archive that fails costs the copy, not the pass", async () => {
  const file = join(newDir(), "taken");
  writeFileSync(file, "");
  const one = await rig(
    file,
    `    rules:\n      - { name: outage, when: { responseStatus: 503 }, then: republish }\n`,
  );
  one.seed(2, {}, 70 * hourMs);
  one.seed(1, { responseStatus: 500 }, 70 * hourMs);
  expect(await one.pass()).toMatchObject({ outcome: "complete", tally: { republished: 2, held: 1 } });
  expect(one.eventsOf("archive:failed")).toHaveLength(1);
});

test("a record that cannot be written again keeps no other from being dropped or copied", async () => {
  const dir = newDir();
  const one = await rig(dir, dropOld);
  let deep: unknown = 1;
  for (let depth = 0; depth < 8_000; depth += 1) deep = [deep];
  // As a service could list it: the emulator refuses to be given such a record.
  const [odd] = one.seed(1, {}, 40 * hourMs);
  const others = one.seed(2, {}, 40 * hourMs);
  const { service } = one.drain.source;
  const drain = {
    ...one.drain,
    source: {
      ...one.drain.source,
      service: {
        clockOffsetMs: () => service.clockOffsetMs(),
        publish: service.publish.bind(service),
        remove: service.remove.bind(service),
      },
    },
  };
  const listed = await service.list({ select: {}, count: 100 });
  const records = listed.records.map((raw) => (raw["dlqId"] === odd ? { ...raw, unheardOf: deep } : raw));
  const { at } = await one.drain.source.ledger.now();
  await workPage(drain as unknown as typeof one.drain, { records, readAt: at }, new AbortController().signal);
  expect((await kept(dir)).map(({ dlqId }) => dlqId)).toEqual(others);
  expect(one.emulator.dlq.find(odd ?? "")).toBeDefined();
  expect(one.emulator.dlq.size).toBe(1);
});

test("copies are asked for again where the archive is another one", async () => {
  const holds = `    rules:\n      - { name: never, when: { responseStatus: 503 }, then: park }\n`;
  const [first, second] = [newDir(), newDir()];
  const one = await rig(first, holds);
  one.seed(2, {}, 70 * hourMs);
  await one.pass();
  const other = await rig(second, holds, { twinOf: one });
  await other.drain.source.passes.forceFull(other.drain.config.name);
  await other.pass();
  expect(await kept(first)).toHaveLength(2);
  expect(await kept(second)).toHaveLength(2);
});

test("what nears its expiry is copied where it is left, and not where it is published", async () => {
  const dir = newDir();
  const one = await rig(
    dir,
    `    limits: { perPass: 2 }\n    rules:\n      - { name: outage, when: { responseStatus: 503 }, then: republish }\n`,
  );
  const ids = one.seed(5, {}, 70 * hourMs);
  expect(await one.pass()).toMatchObject({ tally: { republished: 2, due: 3 } });
  const copied = (await kept(dir)).map(({ dlqId }) => dlqId);
  expect(copied.toSorted()).toEqual(ids.filter((id) => one.emulator.dlq.find(id) !== undefined).toSorted());
  expect(copied).toHaveLength(3);
});
