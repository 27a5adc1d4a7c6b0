import { expect, it } from "vitest";
import { start } from "../../../../support/command.ts";
import { createEnv } from "../../../../support/daemon.ts";
import { useRedis } from "../../../../support/redis.ts";
import { startService } from "../../../../support/service.ts";

const redis = useRedis();

const document = `
version: 1
sources: { default: {} }
drains:
  orders:
    mode: live
    lane: none
    schedule: { every: 1s }
    minAge: 1s
    attempts: { max: 5, wait: [1s] }
    rules:
      - { name: outage, when: { responseStatus: 503 }, then: republish }
`;

it("a daemon tells its acts as lines on stdout, whatever the level of its log, and signs them", async () => {
  const { emulator, receiver } = await startService();
  const at = Date.now() - 60 * 60_000;
  const [id = ""] = emulator.dlq.seed([
    {
      dlqId: `${at}-0`,
      url: `${receiver.url}/hook?of-a-query`,
      createdAt: at,
      responseStatus: 503,
      header: { Authorization: ["Bearer of-a-header"] },
      body: "of-a-body",
    },
  ]);
  const { env } = createEnv({ emulator, redisUrl: redis.url(), document });
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
