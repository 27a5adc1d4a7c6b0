import { describe, expect, it } from "vitest";
import { readParked } from "../../src/redrive/find-parked.ts";
import { releaseParked } from "../../src/redrive/release.ts";
import { createRig } from "../support/rig.ts";
import { useRedis } from "../support/redis.ts";

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

  it("of what a drain parked that is no longer in the document is for whichever drain selects it", async () => {
    const rig = await createRig({ redisUrl: redis.url(), drain });
    rig.seed(1, { responseStatus: 422 });
    await rig.pass();
    await rig.pass();
    const { source } = rig.drain;
    const [entry] = await readParked(source);
    if (entry === undefined) throw new Error("one was parked");
    const orphan = { ...entry, view: { ...entry.view, drain: "former" as typeof entry.view.drain } };
    await releaseParked(source, rig.core.drains, [orphan], "fixed");
    expect(await rig.pass()).toMatchObject({ tally: { republished: 1, deleted: 1 } });
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
    await expect
      .poll(
        async () => {
          await source.passes.forceFull(rig.drain.config.name);
          await rig.pass().catch(() => undefined);
          return rig.emulator.dlq.size;
        },
        { timeout: 20_000, interval: 500 },
      )
      .toBe(0);
    await rig.emulator.idle();
    expect([...rig.receiver.counts().values()]).toEqual([1]);
  });
});
