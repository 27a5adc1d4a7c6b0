import { expect, it } from "vitest";
import { readParkedPage } from "../../../../src/people/operations/parked/read-page.ts";
import type { DlqId } from "../../../../src/job/message/dead-letter.ts";
import type { SourceId } from "../../../../src/job/contracts/ids.ts";
import { sourceKeys } from "../../../../src/job/store/keys.ts";
import { createRig, type Rig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis("own");

const parking = `
    minAge: 0s
    otherwise: park
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

async function setUp(): Promise<{ readonly rig: Rig; readonly source: SourceId; readonly ids: string[] }> {
  const rig = await createRig({ redisUrl: redis.url(), drain: parking });
  const ids = [...rig.seed(4, { responseStatus: 422 }), ...rig.seed(1, { responseStatus: 404 })];
  await rig.pass();
  return { rig, source: rig.drain.source.config.id, ids };
}

it("pages of what is parked follow each other, and show each once, with its reason and its drain", async () => {
  const { rig, source, ids } = await setUp();
  const first = await readParkedPage(rig.core, source, { limit: 2 });
  expect(first).toMatchObject({ total: 5, rows: [{ drain: "main", hasDrain: true, attempt: 0 }, {}] });
  const second = await readParkedPage(rig.core, source, { limit: 2, after: first.next });
  const third = await readParkedPage(rig.core, source, { limit: 2, after: second.next });
  expect(third).toMatchObject({ total: 5, next: null });
  const rows = [...first.rows, ...second.rows, ...third.rows];
  expect(rows.map(({ dlqId }) => dlqId).toSorted()).toEqual(ids.toSorted());
  expect(rows.map(({ reason }) => reason).toSorted()).toEqual(["otherwise", ...Array(4).fill("rule")]);
  expect(rows.every(({ dlqId, enteredAt }) => dlqId.startsWith(`${enteredAt}-`))).toBe(true);
});

it("a page goes on at its place when the entry before it was released, and leaves that one out", async () => {
  const { rig, source, ids } = await setUp();
  const first = await readParkedPage(rig.core, source, { limit: 2 });
  const last = first.rows.at(-1)!.dlqId as DlqId;
  await rig.drain.source.ledger.release([last]);
  const rest = await readParkedPage(rig.core, source, { limit: 10, after: first.next });
  const seen = new Set([...first.rows, ...rest.rows].map(({ dlqId }) => dlqId));
  expect([...seen].toSorted()).toEqual(ids.toSorted());
  expect(rest.rows.map(({ dlqId }) => dlqId)).not.toContain(last);
  expect(rest.total).toBe(4);
});

it("a page of one kind of failure, drain or reason has no other rows, and pages of it follow each other", async () => {
  const { rig, source, ids } = await setUp();
  const all = await readParkedPage(rig.core, source, { limit: 10 });
  const other = all.rows.find(({ dlqId }) => dlqId === ids.at(-1))!;
  expect(new Set(all.rows.map(({ failure }) => failure)).size).toBe(2);
  expect(await readParkedPage(rig.core, source, { limit: 10, filter: { failure: other.failure! } })).toEqual({
    rows: [other],
    total: 5,
    next: null,
  });
  const filter = { failure: all.rows.find(({ dlqId }) => dlqId === ids[0])!.failure! };
  const first = await readParkedPage(rig.core, source, { limit: 3, filter });
  const second = await readParkedPage(rig.core, source, { limit: 3, filter, after: first.next });
  expect([first.rows.length, second.rows.length, second.next]).toEqual([3, 1, null]);
  const found = [...first.rows, ...second.rows].map(({ dlqId }) => dlqId);
  expect(found.toSorted()).toEqual(ids.slice(0, 4).toSorted());
  const none = { rows: [], total: 5, next: null };
  expect(await readParkedPage(rig.core, source, { limit: 3, filter: { drain: "other" } })).toEqual(none);
  expect(await readParkedPage(rig.core, source, { limit: 3, filter: { reason: "vanished" } })).toEqual(none);
});

it("a page of 100,000 parked reads the entries of its rows, and no others", async () => {
  const { rig, source } = await setUp();
  const { parked } = sourceKeys(rig.core.redis.keyPrefix, source);
  const later = Date.now() + 90 * 86_400_000;
  for (let start = 0; start < 100_000; start += 5_000) {
    const members = Array.from({ length: 5_000 }, (_, i) => [later, `${later}-${start + i}`]).flat();
    await rig.core.redis.command("ZADD", parked, ...members);
  }
  const before = await statsOf(rig);
  const { rows, total } = await readParkedPage(rig.core, source, { limit: 3 });
  expect({ rows: rows.length, total }).toEqual({ rows: 3, total: 100_005 });
  expect((await statsOf(rig)) - before).toBe(3);
});

/** Calls of GET, in scripts too. */
async function statsOf({ core }: Rig): Promise<number> {
  const text = String(await core.redis.command("INFO", "commandstats"));
  return Number(/cmdstat_get:calls=(\d+)/.exec(text)?.[1] ?? 0);
}
