import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { createDrainStage } from "../../support/drain-stage.ts";
import { startDaemon } from "../../support/daemon.ts";
import { becomesMaster, saysNotReady, startMidDrain } from "../../support/mid-drain.ts";
import { documentedUsers } from "../../support/redis-acl.ts";
import {
  createRedisServers,
  tlsArgs,
  type Certificates,
  type RedisServer,
  writeCertificates,
} from "../../support/redis-servers.ts";

const servers = createRedisServers();
afterAll(() => servers.stop());

interface Watched {
  readonly master: RedisServer;
  readonly replica: RedisServer;
  readonly sentinels: readonly RedisServer[];
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A master and its replica under three Sentinels that give it up after half a second; redriver has the
 * documented users.
 */
async function startWatched(certificates?: Certificates): Promise<Watched> {
  const users = documentedUsers("secret");
  const tls = certificates === undefined ? [] : tlsArgs(certificates);
  const trust = certificates === undefined ? {} : { tls: { ca: readFileSync(certificates.caFile, "utf8") } };
  const acl = [["replication", "on", ">secret", "~*", "&*", "+@all"], users.defaultUser, users.server];
  const options = {
    admin: { username: "replication", password: "secret", ...trust },
    config: acl.map((words) => `user ${words.join(" ")}\n`).join(""),
  };
  const login = ["--masteruser", "replication", "--masterauth", "secret"];
  const args = login.concat("--repl-diskless-sync-delay", "0", tls);
  const master = await servers.start(args, options);
  const replica = await servers.start(args.concat("--replicaof", "127.0.0.1", String(master.port)), options);
  await expect
    .poll(async () => String(await replica.admin.call("INFO", "replication")), { timeout: 30_000 })
    .toContain("master_link_status:up");
  const config = [
    `sentinel monitor main 127.0.0.1 ${master.port} 2`,
    "sentinel auth-user main replication",
    "sentinel auth-pass main secret",
    "sentinel down-after-milliseconds main 500",
    "sentinel failover-timeout main 3000",
    "requirepass sentinel-secret",
    "sentinel sentinel-pass sentinel-secret",
  ].join("\n");
  const sentinels = await Promise.all(
    [1, 2, 3].map(() =>
      servers.start(["--sentinel", ...tls], {
        config: `${config}\n`,
        admin: { password: "sentinel-secret", ...trust },
      }),
    ),
  );
  for (const { admin } of sentinels) {
    await admin.call("ACL", "SETUSER", ...users.sentinel);
    const seen = async (): Promise<string> => {
      const flat = (await admin.call("SENTINEL", "MASTER", "main")) as readonly string[];
      const field = (name: string): string | undefined => flat[flat.indexOf(name) + 1];
      return `${field("num-slaves")} replicas, ${field("num-other-sentinels")} others, ${field("flags")}`;
    };
    await expect.poll(seen, { timeout: 30_000 }).toBe("1 replicas, 2 others, master");
  }
  return {
    master,
    replica,
    sentinels,
    env: {
      REDRIVER_REDIS_KEY_PREFIX: "redriver",
      REDRIVER_REDIS_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(","),
      REDRIVER_REDIS_SENTINEL_NAME: "main",
      REDRIVER_REDIS_SENTINEL_USER: "redriver",
      REDRIVER_REDIS_SENTINEL_PASSWORD: "secret",
    },
  };
}

async function refusedBy(asked: readonly RedisServer[]): Promise<readonly unknown[]> {
  return (await Promise.all(asked.map(({ admin }) => admin.call("ACL", "LOG")))).flat();
}

/** Its host is nobody's: with Sentinels only user and password count. */
const url = "redis://redriver:secret@not-used.invalid";

describe("a master that Sentinels watch", () => {
  it("is drained through; killed in the middle, its replica takes over and each is delivered once", async () => {
    const { master, replica, sentinels, env } = await startWatched();
    const { stage, daemon, endsWell, deliveredOnce } = await startMidDrain({ url, env });
    await master.kill();
    expect(stage.emulator.dlq.size).toBeGreaterThan(0);
    await becomesMaster(replica);
    await endsWell();
    deliveredOnce();
    expect(JSON.stringify(daemon.log)).not.toContain("secret");
    expect(await refusedBy([replica, ...sentinels])).toEqual([]);
    await daemon.endsWell();
  }, 240_000);

  it("behind TLS, handed over on purpose and living on as a replica, is left by itself: each is delivered once", async () => {
    const certificates = writeCertificates(servers.folder);
    const { sentinels, replica, env } = await startWatched(certificates);
    const { endsWell, deliveredOnce } = await startMidDrain({
      url: url.replace("redis:", "rediss:"),
      env: { ...env, REDRIVER_REDIS_CA_FILE: certificates.caFile },
    });
    await sentinels[0]?.admin.call("SENTINEL", "FAILOVER", "main");
    await becomesMaster(replica);
    await endsWell();
    deliveredOnce();
  }, 240_000);

  it("that nobody can name is said by the setting, and drained when it can be", async () => {
    const { env } = await startWatched();
    const stage = await createDrainStage({ url, env: { ...env, REDRIVER_REDIS_SENTINEL_NAME: "other" } });
    const daemon = await startDaemon(stage.setup.env);
    await saysNotReady(daemon, "no Sentinel knows this master; see redis.sentinels and redis.sentinelName");
    const refused = await startDaemon({
      ...stage.setup.env,
      ...env,
      REDRIVER_REDIS_SENTINEL_PASSWORD: "wrong-password",
    });
    await saysNotReady(
      refused,
      "the Sentinels refused the login; see redis.sentinelUser and redis.sentinelPassword",
    );
    expect(JSON.stringify(refused.log)).not.toContain("wrong-password");
  }, 120_000);
});
