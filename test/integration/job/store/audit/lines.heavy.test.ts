import { expect, it } from "vitest";
import { createCommandStand, wholeQueue } from "../../../../support/command-stand.ts";
import { start } from "../../../../support/command.ts";
import { useRedis } from "../../../../support/redis.ts";

const redis = useRedis();

it("a daemon tells its acts as lines on stdout, whatever the level of its log, and signs them", async () => {
  const { env, emulator, seed } = await createCommandStand(redis.url(), wholeQueue);
  const [id] = seed(1, { responseStatus: 503 });
  const daemon = start(["run"], { ...env, REDRIVER_LOG_LEVEL: "error" });
  await daemon.line(({ act }) => act === "delete");
  await expect.poll(() => emulator.dlq.size).toBe(0);
  daemon.child.kill("SIGTERM");
  const { exitCode, out } = await daemon.ended;
  expect(exitCode).toBe(0);
  const acts = daemon.log.filter(({ audit }) => audit === true);
  expect(acts.map(({ act }) => act)).toEqual(["republish", "published", "delete"]);
  for (const act of acts) {
    expect(act).toMatchObject({
      by: expect.stringMatching(new RegExp(`^daemon .+-${daemon.child.pid}$`)),
      source: "default",
      drain: "orders",
      records: [{ dlqId: id }],
    });
  }
  expect(out).not.toMatch(/of-a-query|of-a-header|of-a-body/);
});
