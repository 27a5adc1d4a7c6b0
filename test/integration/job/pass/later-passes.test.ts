import { expect, it } from "vitest";
import { createRig } from "../../../support/rig.ts";
import { useRedis } from "../../../support/redis.ts";

const redis = useRedis();

it("a pass comes back to a held record in the minute in which it is due", async () => {
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
