import { expect, it } from "vitest";
import { start } from "../../support/command.ts";
import { createDrainStage } from "../../support/drain-stage.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();

it("a drain goes on to its end when nobody reads its output any more", async () => {
  const { setup, seed, emptied, deliveredOnce } = await createDrainStage({ url: redis.url() });
  const bodies = seed(300);
  const running = start(["--log-level", "debug", "drain", "main", "--yes"], setup.env);
  running.child.stdout?.destroy();
  running.child.stderr?.destroy();
  expect((await running.ended).exitCode).toBe(0);
  await emptied(10_000);
  deliveredOnce(bodies);
});
