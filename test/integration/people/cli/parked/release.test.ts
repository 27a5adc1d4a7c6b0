import { describe, expect, it } from "vitest";
import type { LedgerView } from "../../../../../src/job/contracts/ledger-entries.ts";
import { readParked } from "../../../../../src/people/operations/parked/find.ts";
import { releaseParked } from "../../../../../src/people/operations/parked/release.ts";
import { decideLetter } from "../../../../../src/job/page/decide-letter.ts";
import { parsePage } from "../../../../../src/job/page/parse-page.ts";
import { auditOf } from "../../../../support/audit-of.ts";
import { rawRecord } from "../../../../support/letters.ts";
import { createRig } from "../../../../support/rig.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

const drain = `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: broken, when: { responseStatus: 422 }, then: park }
`;

describe("a release", () => {
  it("takes effect at the next pass, also where that would only have looked at what is new", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    rig.seed(3, { responseStatus: 422 });
    for (const kind of ["full", "new"]) {
      await rig.pass();
      expect(rig.eventsOf("pass:opened").at(-1)).toMatchObject({ kind });
    }
    const { source } = rig.drain;
    const parked = await readParked(source);
    expect(await releaseParked(source, rig.core.drains, parked, "fixed")).toBe(3);
    expect(await readParked(source)).toEqual([]);
    expect(await rig.pass()).toMatchObject({ tally: { republished: 3, deleted: 3 } });
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()]).toEqual([1, 1, 1]);
  });

  it("whose POST fails is not spent: the record stays released until it is published", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    rig.seed(1, { responseStatus: 422 });
    await rig.pass();
    const { source } = rig.drain;
    await releaseParked(source, rig.core.drains, await readParked(source), "fixed");
    rig.emulator.faults.add({ kind: "status", operation: "batch", status: 429, limit: "burst", count: 1 });
    await rig.pass();
    expect(rig.emulator.dlq.size).toBe(1);
    expect(await readParked(source)).toEqual([]);
    const left = async (): Promise<number> => {
      await source.passes.forceFull(rig.drain.config.name);
      await rig.pass().catch(() => undefined);
      return rig.emulator.dlq.size;
    };
    await expect.poll(left, { timeout: 30_000, interval: 500 }).toBe(0);
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()]).toEqual([1]);
  });
});

/** A body whose number no JSON edit keeps. */
const lossy = '{"id":12345678901234567890}';
const editing = `
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: schema, when: { responseStatus: 503 }, then: republish, set: { body: { merge: { schema: 3 } } } }
`;

describe("a loss", () => {
  it("that parked a record is accepted by a person's release, once, and told with the publish", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain: editing });
    const { source } = rig.drain;
    const [dlqId] = rig.seed(1, { body: lossy });
    for (let pass = 0; pass < 2; pass += 1) {
      expect(await rig.pass()).toMatchObject({ tally: { parked: pass === 0 ? 1 : 0, republished: 0 } });
    }
    const parked = await readParked(source);
    expect(parked).toMatchObject([{ dlqId, view: { reason: "body-numbers" } }]);
    expect(await releaseParked(source, rig.core.drains, parked, "the id is not used")).toBe(1);
    expect(await rig.pass()).toMatchObject({ tally: { republished: 1, parked: 0, deleted: 1 } });
    const told = await auditOf(rig.core, "republish");
    expect(told.flatMap(({ records }) => records)).toMatchObject([
      { dlqId, rule: "schema", notes: ["body-numbers"] },
    ]);
    await rig.emulator.idle();
    expect([...rig.receiver.counts()]).toEqual([['{"id":12345678901234567000,"schema":3}', 1]]);
  });

  it.each<[string, Partial<Extract<LedgerView, { state: "cool" }>>]>([
    ["of a record that is only tried again is none to accept", { released: false }],
    ["is not accepted by a listing that shows the record again", { released: "listed-again" }],
  ])("%s", async (_name, view) => {
    const rig = await createRig({ redisUrl: redis.url(), drain: editing });
    const raw = rawRecord({ responseStatus: 503, body: lossy });
    const [letter] = parsePage([raw], rig.drain.source.lineageKeys()).letters;
    if (letter === undefined) throw new Error("the test's record is unusable");
    letter.view = { state: "cool", dueAt: 0, attempt: 0, ...view } as LedgerView;
    letter.viewedAt = 1;
    decideLetter(rig.drain, letter);
    expect(letter).toMatchObject({ decision: { reason: "body-numbers" }, item: null });
  });
});
