import { describe, expect, it } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { createDrainStage, type DrainStage } from "../../support/drain-stage.ts";
import { useRedis } from "../../support/redis.ts";

const redis = useRedis();

const setUp = (): Promise<DrainStage> => createDrainStage({ url: redis.url() });

describe("the daemon", () => {
  it("drains by its schedule, is ready and alive, and SIGTERM ends it with 0", async () => {
    const { setup, seed, deliveredOnce, emptied } = await setUp();
    const bodies = seed(150);
    const daemon = await startDaemon(setup.env);
    await emptied(20_000);
    deliveredOnce(bodies);
    for (const path of ["/livez", "/readyz", "/metrics"]) {
      expect((await fetch(daemon.address + path)).status, path).toBe(200);
    }
    const metrics = await (await fetch(`${daemon.address}/metrics`)).text();
    expect(metrics).toMatch(/^redriver_settled_total\{.*drain="main".*\} 150$/m);
    expect(metrics).toMatch(/^redriver_drain_acting\{drain="main"\} 1$/m);
    await daemon.endsWell();
  });

  it("told to stop in the middle of a pass, ends with 0 and loses nothing", async () => {
    const { emulator, setup, seed, deliveredOnce, emptied } = await setUp();
    const bodies = seed(1_000);
    emulator.faults.add({ kind: "latency", operation: "batch", ms: 200, name: "slow" });
    const first = await startDaemon(setup.env);
    await first.line(({ act }) => act === "published");
    await first.endsWell();
    expect(emulator.dlq.size).toBeGreaterThan(0);
    emulator.faults.remove("slow");
    // The pass was handed back, so its next worker need not wait until it is taken for abandoned.
    await startDaemon(setup.env);
    await emptied(30_000);
    deliveredOnce(bodies);
    expect(first.log.filter(({ event }) => event === "job:failed")).toEqual([]);
  }, 180_000);
});
