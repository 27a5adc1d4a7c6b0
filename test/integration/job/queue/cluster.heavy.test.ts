import { once } from "node:events";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { toBullmqConnection } from "../../../../src/job/redis/connect.ts";
import { formCluster } from "../../../support/redis-cluster.ts";
import { createRedisServers, type RedisServer } from "../../../support/redis-servers.ts";
import { waitFor } from "../../../support/wait-for.ts";

const servers = createRedisServers();
afterAll(() => servers.stop());

test("a worker's connection that is made anew while slots of a cluster have no master can be waited for", async () => {
  const args = ["--cluster-enabled", "yes", "--cluster-node-timeout", "500"];
  const nodes = await Promise.all([1, 2, 3].map(() => servers.start(args)));
  await formCluster(nodes);
  const [asked, victim] = nodes as [RedisServer, RedisServer, RedisServer];
  const connection = toBullmqConnection({ url: asked.url, cluster: [] }, "worker");
  onTestFinished(() => connection.disconnect());
  await waitFor(() => expect(connection.status).toBe("ready"), { timeout: 30_000 });

  victim.pause();
  onTestFinished(() => victim.resume());
  const state = async (): Promise<string> => String(await asked.admin.call("CLUSTER", "INFO"));
  await waitFor(async () => expect(await state()).toContain("cluster_state:fail"), { timeout: 30_000 });
  // What the library does where a blocking read was not answered; until `connect` has ended the worker takes
  // no job.
  const ended = once(connection, "end");
  connection.disconnect();
  await ended;
  const heard: string[] = [];
  for (const event of ["ready", "close"] as const) connection.on(event, () => heard.push(event));
  const made = connection.connect();
  await waitFor(() => expect(heard).not.toEqual([]), { timeout: 30_000 });
  victim.resume();
  await made;
  await waitFor(async () => expect(await connection.ping()).toBe("PONG"), { timeout: 30_000 });
}, 80_000);
