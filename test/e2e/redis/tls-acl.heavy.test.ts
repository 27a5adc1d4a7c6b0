import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDrainStage, readyz } from "../../support/drain-stage.ts";
import { runToEnd } from "../../support/command.ts";
import { startDaemon } from "../../support/daemon.ts";
import { saysNotReady } from "../../support/mid-drain.ts";
import { documentedUsers } from "../../support/redis-acl.ts";
import {
  createRedisServers,
  tlsAdmin,
  tlsArgs,
  type Certificates,
  type RedisServer,
  writeCertificates,
} from "../../support/redis-servers.ts";

const servers = createRedisServers();
let certificates: Certificates;
let server: RedisServer;

beforeAll(async () => {
  certificates = writeCertificates(servers.folder);
  server = await servers.start(tlsArgs(certificates), { admin: tlsAdmin(certificates) });
});
afterAll(() => servers.stop());

/** The documented line names the default prefix. */
const prefix = { REDRIVER_REDIS_KEY_PREFIX: "redriver" };

describe("Redis behind TLS, with the user of docs/redis.md", () => {
  it("is drained through, once each, and refuses nothing that is asked of it", async () => {
    await server.admin.call("ACL", "SETUSER", ...documentedUsers("hush-hush").server);
    await server.admin.call("ACL", "LOG", "RESET");
    const url = `rediss://redriver:hush-hush@127.0.0.1:${server.port}`;
    const env = { ...prefix, REDRIVER_REDIS_CA_FILE: certificates.caFile };
    const stage = await createDrainStage({ url, env });
    const succeeds = async (args: readonly string[]): Promise<void> => {
      const { exitCode, err } = await runToEnd(args, stage.setup.env);
      expect({ args, exitCode, err: exitCode === 0 ? "" : err }).toEqual({ args, exitCode: 0, err: "" });
    };
    // First: beside a daemon, or after its end, a pass of the daemon may be open.
    const bodies = stage.seed(20);
    await succeeds(["drain", "main", "--yes"]);
    bodies.push(...stage.seed(150));
    const daemon = await startDaemon(stage.setup.env);
    await stage.emptied(30_000);
    stage.deliveredOnce(bodies);
    expect(await readyz(daemon.address)).toEqual({ ok: true, reasons: [] });
    expect(await (await fetch(`${daemon.address}/metrics`)).text()).toMatch(/^redriver_redis_up 1$/m);
    const commands = [
      ["status"],
      ["parked", "list"],
      ["history"],
      ["pause", "main", "--reason", "a test"],
      ["resume", "main", "--reason", "a test"],
    ];
    for (const args of commands) await succeeds(args);
    await daemon.endsWell();
    expect(await server.admin.call("ACL", "LOG")).toEqual([]);
    expect(daemon.log.filter(({ event }) => event === "job:failed")).toEqual([]);
    expect(JSON.stringify(daemon.log)).not.toContain("hush-hush");
  }, 120_000);

  it("whose certificate nobody vouches for is not talked to, and the message names redis.caFile", async () => {
    const stage = await createDrainStage({ url: server.url });
    const daemon = await startDaemon(stage.setup.env);
    await saysNotReady(daemon, "redis.caFile");
    expect(stage.emulator.journal.entries("request")).toEqual([]);
  });
});
