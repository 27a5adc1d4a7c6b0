import { expect, it } from "vitest";
import { openAuditReader } from "../../../../src/job/compose/open-readers.ts";
import { readHistoryPage, type HistoryPage } from "../../../../src/people/operations/history/read-page.ts";
import type { AuditReader } from "../../../../src/job/contracts/audit.ts";
import { recordIntent } from "../../../../src/job/write-audit.ts";
import { atOnce, createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();
const page = { maxRows: 10, maxEntries: 100 };

/** Notes 1 to `count` by turns of ann and bob, and one pause of all drains at the end. */
async function setUp(count: number) {
  const rig = await createRig({ redisUrl: redis.url(), drain: atOnce });
  const { source } = rig.drain;
  for (let i = 1; i <= count; i += 1) {
    const by = i % 2 === 0 ? "bob" : "ann";
    await recordIntent({ ...source, by }, "note", [], { drain: null, why: `note ${i}` });
  }
  await recordIntent({ ...source, by: "ann" }, "pause", [], { drain: null, why: "paused" });
  return { rig, reader: openAuditReader(rig.core) };
}

async function allPages(reader: AuditReader, request: Parameters<typeof readHistoryPage>[1]) {
  const pages: HistoryPage[] = [];
  let before: string | null = null;
  do {
    const read: HistoryPage = await readHistoryPage(reader, { ...request, before });
    pages.push(read);
    before = read.next;
  } while (before !== null && pages.length < 50);
  return pages;
}

const whys = (pages: readonly HistoryPage[]) => pages.flatMap(({ rows }) => rows.map(({ why }) => why));
const allNotes = ["paused", ...Array.from({ length: 12 }, (_, i) => `note ${12 - i}`)];

/** Records of each act. */
const countsOf = (pages: readonly HistoryPage[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const { act, count } of pages.flatMap(({ rows }) => rows)) counts[act] = (counts[act] ?? 0) + count;
  return counts;
};

it("pages of history follow each other, and show each act once, also those of one millisecond", async () => {
  const { reader } = await setUp(12);
  const pages = await allPages(reader, { maxRows: 5, maxEntries: 100 });
  expect(whys(pages)).toEqual(allNotes);
  expect(pages.length).toBeGreaterThan(1);
  expect(whys(await allPages(reader, { maxRows: 10, maxEntries: 1 }))).toEqual(allNotes);
});

it("a page reads no more entries than it may, also if its filters leave nothing", async () => {
  const { reader } = await setUp(12);
  let read = 0;
  const counting: AuditReader = {
    ...reader,
    async *read(query) {
      for await (const entry of reader.read(query)) {
        read += 1;
        yield entry;
      }
    },
  };
  expect(await readHistoryPage(counting, { maxRows: 10, maxEntries: 4, by: "nobody" })).toMatchObject({
    rows: [],
    next: expect.any(String) as string,
  });
  expect(read).toBeLessThanOrEqual(5);
});

it("a page ends behind so many dead letters, and the next one counts the others", async () => {
  const { reader, rig } = await setUp(1);
  for (let pass = 0; pass < 3; pass += 1) {
    rig.seed(4, {}, 60_000 - pass);
    await rig.pass();
  }
  const [whole, cut] = [await allPages(reader, page), await allPages(reader, { ...page, maxRecords: 5 })];
  expect(countsOf(whole)).toMatchObject({ republish: 12, published: 12, delete: 12 });
  expect(countsOf(cut)).toEqual(countsOf(whole));
  // An entry has four, so that two of them end a page.
  expect([whole.length, cut.length]).toEqual([1, 5]);
});

it("the last page says that the audit was cut, unless the span begins after that", async () => {
  const { reader } = await setUp(3);
  const cutAt = Date.parse("2026-11-20T10:00:00Z");
  const cut: AuditReader = { ...reader, cutAt: async () => cutAt };
  const [first, last] = await allPages(cut, { maxRows: 10, maxEntries: 2 });
  expect(first?.missing).toBe("");
  expect(last?.missing).toBe(
    "not known: what was done before 2026-11-20 10:00:00 UTC, because the audit has reached its size\n",
  );
  expect(await readHistoryPage(cut, { ...page, from: cutAt })).toMatchObject({ missing: "" });
});
