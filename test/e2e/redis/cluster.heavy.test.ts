import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { SourceId } from "../../../src/job/contracts/ids.ts";
import { checkFitness } from "../../../src/job/redis/check-fitness-and-room.ts";
import { createRedis } from "../../../src/job/redis/connect.ts";
import { sourceKeys } from "../../../src/job/store/keys.ts";
import { createRedisLedger } from "../../../src/job/store/ledger/redis-ledger.ts";
import { runToEnd } from "../../support/command.ts";
import { createDrainStage, readyz } from "../../support/drain-stage.ts";
import { startDaemon } from "../../support/daemon.ts";
import { saysNotReady } from "../../support/mid-drain.ts";
import { defaultLimits, dlqId, drain, request, token } from "../../support/ledger-stands.ts";
import { documentedUsers } from "../../support/redis-acl.ts";
import { createRedisServers, type RedisServer } from "../../support/redis-servers.ts";
import { formCluster, moveSlotOf } from "../../support/redis-cluster.ts";

const servers = createRedisServers();
let nodes: readonly RedisServer[];

beforeAll(async () => {
  nodes = await Promise.all([1, 2, 3].map(() => servers.start(["--cluster-enabled", "yes"])));
  await formCluster(nodes);
});
afterAll(() => servers.stop());

const first = (): RedisServer => nodes[0] as RedisServer;
const clusterEnv = { REDRIVER_REDIS_CLUSTER: "true" };

describe("a cluster of three masters", () => {
  it("is drained through by the documented user, once each, also while the slot of the ledger moves to another node", async () => {
    for (const { admin } of nodes) await admin.call("ACL", "SETUSER", ...documentedUsers("hush").server);
    const stage = await createDrainStage({
      url: `redis://redriver:hush@127.0.0.1:${first().port}`,
      env: { ...clusterEnv, REDRIVER_REDIS_KEY_PREFIX: "redriver" },
    });
    const bodies = stage.seed(600);
    stage.emulator.faults.add({ kind: "latency", operation: "batch", ms: 300, name: "slow" });
    const daemon = await startDaemon(stage.setup.env);
    await daemon.line(({ act }) => act === "published");
    expect((await moveSlotOf(nodes, "{default}")).keys).toBeGreaterThan(0);
    stage.emulator.faults.remove("slow");
    await stage.emptied(60_000);
    stage.deliveredOnce(bodies);
    await expect.poll(() => readyz(daemon.address)).toEqual({ ok: true, reasons: [] });
    const metrics = await (await fetch(`${daemon.address}/metrics`)).text();
    expect(metrics).toMatch(/^redriver_redis_up 1$/m);
    for (const { admin } of nodes) expect(await admin.call("ACL", "LOG")).toEqual([]);
    expect(daemon.log.filter(({ code }) => code === "invariant-broken")).toEqual([]);
    await daemon.endsWell();
  }, 180_000);

  it("whose slot is moved in part answers nothing of the ledger: what has gone ahead would look absent", async () => {
    const redis = createRedis({ url: first().url, cluster: [] }, { role: "test" });
    onTestFinished(() => redis.close());
    await redis.ready(10_000);
    const source = "moved" as SourceId;
    const ledger = createRedisLedger(redis, source, defaultLimits, { epochSeed: () => "epoch" });
    const ids = [dlqId(1), dlqId(2)];
    const options = { token: token("a"), drain, act: "republish", pastHorizon: "leave" } as const;
    await ledger.begin(
      ids.map((id) => request(id)),
      { ...options, pageReadAt: (await ledger.now()).at },
    );
    const isRefused = async () => {
      await expect(ledger.peek(ids)).rejects.toMatchObject({ code: "redis-unavailable" });
      await expect(checkFitness(redis, [source])).rejects.toThrow(/a slot of the cluster is being moved/);
    };
    const { entryPrefix, meta } = sourceKeys(redis.keyPrefix, source);
    await moveSlotOf(nodes, `{${source}}`, async (from, to) => {
      const move = (...keys: readonly string[]) =>
        from.admin.call("MIGRATE", "127.0.0.1", to.port, "", 0, 5_000, "KEYS", ...keys);
      await move(...ids.map((id) => `${entryPrefix}${id}`));
      await isRefused();
      await move(meta);
      await isRefused();
    });
    expect((await ledger.peek(ids)).views).toMatchObject([{ state: "open" }, { state: "open" }]);
    await checkFitness(redis, [source]);
  }, 60_000);

  it("reached as if it were one server, or one server reached as if it were a cluster, is not ready, and the message names the setting", async () => {
    const stage = await createDrainStage({ url: first().url });
    stage.seed(3);
    await saysNotReady(await startDaemon(stage.setup.env), "REDRIVER_REDIS_CLUSTER");
    const lone = await createDrainStage({ url: (await servers.start()).url, env: clusterEnv });
    const daemon = await startDaemon(lone.setup.env);
    await saysNotReady(daemon, "set redis.cluster (REDRIVER_REDIS_CLUSTER) to false");
    expect(stage.emulator.journal.entries("request")).toEqual([]);
  });

  it("whose slot of the queues is moved in part says so", async () => {
    const redis = createRedis({ url: first().url, cluster: [] }, { role: "test", keyPrefix: "moving" });
    onTestFinished(() => redis.close());
    await redis.ready(10_000);
    await moveSlotOf(nodes, "{moving}", () =>
      expect(checkFitness(redis)).rejects.toThrow(/a slot of the cluster is being moved/),
    );
    expect((await checkFitness(redis)).problems).toEqual([]);
  });

  it("with a node that takes no writes has a problem, whichever node it is", async () => {
    const redis = createRedis({ url: first().url, cluster: [] }, { role: "test" });
    onTestFinished(() => redis.close());
    await redis.ready(10_000);
    for (const { admin, port } of nodes) {
      await admin.config("SET", "min-replicas-to-write", 1);
      const message = `Redis at 127.0.0.1:${port} refused EVAL: NOREPLICAS; too few replicas follow it (min-replicas-to-write); bring them back`;
      expect((await checkFitness(redis)).problems).toEqual([
        { kind: "not-writing", weight: "refuse", message },
      ]);
      await admin.config("SET", "min-replicas-to-write", 0);
    }
    expect((await checkFitness(redis)).problems).toEqual([]);
  });

  it("whose slots have no master says so to a command", async () => {
    const pair = await Promise.all([1, 2].map(() => servers.start(["--cluster-enabled", "yes"])));
    await formCluster(pair);
    for (const { admin } of pair) await admin.call("CLUSTER", "DELSLOTSRANGE", 0, 100);
    const stage = await createDrainStage({ url: String(pair[0]?.url), env: clusterEnv });
    const { exitCode, out } = await runToEnd(["doctor"], stage.setup.env);
    expect(out).toContain(
      "expected cluster_state:ok, got fail: some slots have no master; see CLUSTER NODES",
    );
    expect(exitCode).toBe(1);
  });

  it("with a node whose eviction policy is wrong is not ready, and the message names the node", async () => {
    const stage = await createDrainStage({ url: first().url, env: clusterEnv });
    const wrong = nodes[1] as RedisServer;
    await wrong.admin.config("SET", "maxmemory-policy", "allkeys-lru");
    const bodies = stage.seed(20);
    const daemon = await startDaemon(stage.setup.env);
    await saysNotReady(
      daemon,
      `127.0.0.1:${wrong.port}: expected maxmemory-policy noeviction, got allkeys-lru`,
    );
    expect(stage.emulator.journal.entries("request")).toEqual([]);
    await wrong.admin.config("SET", "maxmemory-policy", "noeviction");
    await stage.emptied(20_000);
    stage.deliveredOnce(bodies);
  }, 80_000);
});
