import { describe, expect, it } from "vitest";
import { createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

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
      .poll(
        async () => {
          rig.advance(1_000);
          return (await rig.pass()) as { tally: { republished: number } };
        },
        { timeout: 30_000, interval: 10 },
      )
      .toMatchObject({ tally: { republished: 10 } });
  });
});
