import { describe, it } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { createDrainStage } from "../../support/drain-stage.ts";
import { createHold } from "../../support/hold.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();

describe("a daemon", () => {
  it("R07 stopped in the middle of a POST past the takeover, then continued, delivers once", async () => {
    const { emulator, setup, seed, deliveredOnce, emptied } = await createDrainStage({ url: redis.url() });
    // Larger than all socket buffers on the way, so that the stop falls between the first byte and the last.
    const bodies = seed(40, 90_000);
    const hold = await createHold(emulator.url, "POST /v2/batch");
    const env = { ...setup.env, REDRIVER_SERVICE_URL: hold.url, REDRIVER_LOG_LEVEL: "debug" };
    const first = await startDaemon(env);
    await hold.reached;
    first.child.kill("SIGSTOP");
    const second = await startDaemon(env);
    await emptied(90_000);
    first.child.kill("SIGCONT");
    hold.release();
    await first.line(
      ({ event, operation, outcome }) =>
        event === "service:answered" && operation === "batch" && outcome !== "ok",
      60_000,
    );
    await emulator.idle();
    deliveredOnce(bodies);
    await second.endsWell();
  }, 360_000);
});
