import { randomUUID } from "node:crypto";
import { afterAll, expect, it } from "vitest";
import { becomesMaster, startMidDrain } from "../../support/mid-drain.ts";
import { formCluster, joinReplica, ownerOf } from "../../support/redis-cluster.ts";
import {
  createRedisServers,
  tlsAdmin,
  tlsArgs,
  tlsEnv,
  type RedisServer,
  writeCertificates,
} from "../../support/redis-servers.ts";

const servers = createRedisServers();
afterAll(() => servers.stop());

/** All of a source, and all of the queues, on this node. */
async function prefixOn(node: RedisServer, nodes: readonly RedisServer[]): Promise<string> {
  for (;;) {
    const prefix = `e2e-${randomUUID().slice(0, 8)}`;
    if ((await ownerOf(nodes, `{${prefix}}`)) === node) return prefix;
  }
}

it("a cluster behind TLS with certificates on both sides, whose master dies in the middle of a drain, goes on with its replica: each is delivered once", async () => {
  const certificates = writeCertificates(servers.folder);
  const args = tlsArgs(certificates, { asksClients: true }).concat(
    ["--tls-cluster", "yes", "--cluster-enabled", "yes", "--cluster-node-timeout", "1000"],
    // Dead for good is dead for as long as the test takes, and its replica is never too old.
    ["--cluster-replica-validity-factor", "0", "--repl-diskless-sync-delay", "0"],
  );
  const start = (): Promise<RedisServer> => servers.start(args, { admin: tlsAdmin(certificates) });
  const masters = await Promise.all([start(), start(), start()]);
  const replica = await start();
  await formCluster(masters);
  const victim = await ownerOf(masters, "{default}");
  await joinReplica(victim, replica);

  const survivor = masters.find((node) => node !== victim) as RedisServer;
  const { stage, daemon, endsWell, deliveredOnce } = await startMidDrain({
    url: survivor.url,
    env: {
      ...tlsEnv(certificates),
      REDRIVER_REDIS_CLUSTER: "true",
      REDRIVER_REDIS_KEY_PREFIX: await prefixOn(victim, masters),
    },
  });
  await victim.kill();
  expect(stage.emulator.dlq.size).toBeGreaterThan(0);
  await becomesMaster(replica);
  await endsWell();
  deliveredOnce();
  expect(daemon.log.filter(({ code }) => code === "invariant-broken")).toEqual([]);
  expect(JSON.stringify(daemon.log)).not.toContain("PRIVATE KEY");
}, 360_000);
