import { expect, it, onTestFinished } from "vitest";
import { createRedis } from "../../../../src/job/redis/connect.ts";
import { createRedisServers } from "../../../support/redis-servers.ts";
import { createTcpTap } from "../../../support/tcp-tap.ts";

it("a Sentinel is asked for the master and the other Sentinels, and told nothing of the library", async () => {
  const servers = createRedisServers();
  onTestFinished(() => servers.stop());
  const master = await servers.start();
  const config = `sentinel monitor main 127.0.0.1 ${master.port} 1\n`;
  const sentinel = await servers.start(["--sentinel"], { config });
  let said = "";
  const tap = await createTcpTap(new URL(sentinel.url), (near, far) => {
    near.on("data", (bytes: Buffer) => (said += bytes.toString("utf8"))).pipe(far);
    far.pipe(near);
  });
  const target = { url: "redis://nobody.invalid", sentinel: { nodes: [tap], name: "main" } };
  const redis = createRedis(target, { role: "test" });
  onTestFinished(() => redis.close());
  await redis.ready(10_000);
  const words = said
    .toLowerCase()
    .split("\r\n")
    .filter((word) => /^[a-z]/.test(word));
  expect(new Set(words)).toEqual(
    new Set(["hello", "sentinel", "get-master-addr-by-name", "sentinels", "main"]),
  );
}, 20_000);
