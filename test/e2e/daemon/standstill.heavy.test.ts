import { afterAll, expect, it } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { createDrainStage, readyz } from "../../support/drain-stage.ts";
import { createRedisServers } from "../../support/redis-servers.ts";

const servers = createRedisServers();
afterAll(() => servers.stop());

const stillOf = async (address: string): Promise<string | undefined> =>
  /^redriver_drains_standing_still (\d)$/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1];

it("a drain whose windows no worker gets is not ready, and is again with its next page", async () => {
  const server = await servers.start();
  const stage = await createDrainStage({ url: server.url, env: { REDRIVER_REDIS_KEY_PREFIX: "redriver" } });
  const bodies = stage.seed(20);
  const daemon = await startDaemon(stage.setup.env);
  await stage.emptied(30_000);
  expect(await readyz(daemon.address)).toEqual({ ok: true, reasons: [] });
  expect(await stillOf(daemon.address)).toBe("0");
  // As BullMQ pauses a queue: nobody here does that, and nothing fails by it.
  const meta = "{redriver}:redriver-v1-windows:meta";
  await server.admin.hset(meta, "paused", 1);
  bodies.push(...stage.seed(20));
  await expect
    .poll(async () => (await readyz(daemon.address)).reasons.join(), { timeout: 150_000, interval: 1_000 })
    .toMatch(/^drain main stands still: .* no page has ended for \d+ s/);
  expect(await stillOf(daemon.address)).toBe("1");
  expect((await fetch(`${daemon.address}/livez`)).status).toBe(200);
  await server.admin.hdel(meta, "paused");
  await stage.emptied(60_000);
  stage.deliveredOnce(bodies);
  await expect.poll(() => readyz(daemon.address), { timeout: 30_000 }).toEqual({ ok: true, reasons: [] });
}, 300_000);
