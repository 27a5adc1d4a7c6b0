import { describe, expect, it } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { createDrainStage, type DrainStage } from "../../support/drain-stage.ts";
import { createHold } from "../../support/hold.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();

const setUp = (): Promise<DrainStage> => createDrainStage({ url: redis.url() });

describe("a daemon", () => {
  it("killed while a delete is stalled, then started again, delivers once and loses nothing", async () => {
    const { emulator, setup, seed, deliveredOnce, emptied } = await setUp();
    const bodies = seed(50);
    emulator.faults.add({
      kind: "stall-answer",
      operation: "delete",
      when: "before",
      name: "stall",
      count: 1,
    });
    const first = await startDaemon(setup.env);
    await emulator.journal.waitFor((entry) => entry.type === "fault" && entry.name === "stall");
    first.child.kill("SIGKILL");
    await first.ended;
    emulator.faults.remove("stall");
    await startDaemon(setup.env);
    await emptied(60_000);
    deliveredOnce(bodies);
  }, 180_000);

  it("R07 stopped in the middle of a POST past the takeover, then continued, delivers once", async () => {
    const { emulator, setup, seed, deliveredOnce, emptied } = await setUp();
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
    second.child.kill("SIGTERM");
    expect((await second.ended).exitCode).toBe(0);
  }, 360_000);
});

describe("an answer that is dropped after acceptance", () => {
  it("is found again inside the deduplication window: delivered once", async () => {
    const { emulator, setup, seed, deliveredOnce, emptied } = await setUp();
    const bodies = seed(50);
    emulator.faults.add({ kind: "drop-answer", operation: "batch", when: "after", count: 4 });
    await startDaemon(setup.env);
    await emptied(90_000);
    deliveredOnce(bodies);
  }, 240_000);
});
