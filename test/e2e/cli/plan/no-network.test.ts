import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { runToEnd } from "../../../support/command.ts";
import { createEnv } from "../../../support/daemon.ts";
import { useRedis } from "../../../support/redis.ts";
import { startService } from "../../../support/service.ts";

const redis = useRedis();

it("a plan asks a service that cannot be reached once more, and says so", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { emulator } = await startService();
  const { env } = createEnv({
    emulator,
    redisUrl: redis.url(),
    document: "version: 1\nsources: { default: {} }\ndrains: { main: { rules: [] } }\n",
    env: { REDRIVER_SERVICE_URL: `http://127.0.0.1:${port}` },
  });
  const { exitCode, out, err } = await runToEnd(["plan", "--all"], env);
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
  expect(err).toContain(`service-unavailable: list at 127.0.0.1:${port}`);
  // A pass would ask four times, over ten seconds.
  expect(connections).toBe(2);
});
