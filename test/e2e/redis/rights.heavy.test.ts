import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runToEnd } from "../../support/command.ts";
import { startDaemon } from "../../support/daemon.ts";
import { createDrainStage, readyz } from "../../support/drain-stage.ts";
import { documentedUsers } from "../../support/redis-acl.ts";
import { createRedisServers, type RedisServer } from "../../support/redis-servers.ts";

const servers = createRedisServers();
let server: RedisServer;
beforeAll(async () => (server = await servers.start()));
afterAll(() => servers.stop());

/** The documented line names the default prefix. */
const env = { REDRIVER_REDIS_KEY_PREFIX: "redriver" };
const [name = "", ...line] = documentedUsers("hush-hush").server;
const without = (...rules: readonly string[]): readonly string[] =>
  line.filter((rule) => !rules.includes(rule));

const allow = (rules: readonly string[]) => server.admin.call("ACL", "SETUSER", name, "reset", ...rules);
const redisUrl = () => `redis://redriver:hush-hush@127.0.0.1:${server.port}`;
const reasonsOf = async (address: string): Promise<string> => (await readyz(address)).reasons.join("\n");
const fitOf = async (address: string): Promise<string | undefined> =>
  /^redriver_redis_fit (\d)$/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1];

/** What is taken from the line, and the right that is named. */
const lacks = [
  ["+bzpopmin", "+bzpopmin"],
  ["+evalsha", "+evalsha"],
  ["+eval", "+eval"],
  ["+xadd", "+xadd"],
  ["+hgetall", "+hgetall"],
  ["~{redriver}:*", "~{redriver}:*"],
  ["~redriver:*", "~redriver:*"],
] as const;

describe("a user of Redis without one right of the line", () => {
  it.each(lacks)("%s fails doctor, which names it", async (rule, right) => {
    await allow(without(rule));
    const stage = await createDrainStage({ url: redisUrl(), env });
    const { exitCode, out } = await runToEnd(["doctor"], stage.setup.env);
    expect(exitCode).toBe(1);
    expect(out).toContain(`ACL SETUSER redriver ${right},`);
  });

  it("at the start is not ready, and everything is drained once the right is given", async () => {
    await allow(without("+bzpopmin"));
    const stage = await createDrainStage({ url: redisUrl(), env });
    const bodies = stage.seed(20);
    const daemon = await startDaemon(stage.setup.env);
    await expect
      .poll(() => reasonsOf(daemon.address), { timeout: 10_000 })
      .toContain("ACL SETUSER redriver +bzpopmin,");
    expect((await fetch(`${daemon.address}/readyz`)).status).toBe(503);
    expect(await fitOf(daemon.address)).toBe("0");
    expect(
      stage.emulator.journal.entries("request").filter(({ operation }) => operation === "batch"),
    ).toEqual([]);
    await allow(line);
    await stage.emptied(10_000);
    stage.deliveredOnce(bodies);
    // What a worker heard before the mend may be told after it.
    await expect.poll(() => fitOf(daemon.address)).toBe("1");
    daemon.child.kill("SIGTERM");
    await daemon.ended;
    await server.admin.flushall();
  }, 120_000);

  it("in the middle of its work names it, is not ready within 15 s, and goes on within 10 s once it is given again", async () => {
    await allow(line);
    const stage = await createDrainStage({ url: redisUrl(), env });
    const bodies = stage.seed(20);
    const daemon = await startDaemon(stage.setup.env);
    await stage.emptied(30_000);
    const figures: Record<string, number> = {};
    for (const [rule, right] of [
      ...lacks,
      ["+set", "+set"],
      ["+zadd", "+zadd"],
      ["+hset", "+hset"],
    ] as const) {
      const told = daemon.log.length;
      await allow(without(rule));
      bodies.push(...stage.seed(40));
      await expect.poll(() => reasonsOf(daemon.address), { timeout: 35_000, interval: 50 }).toContain(right);
      await expect.poll(() => fitOf(daemon.address)).toBe("0");
      await allow(line);
      const mendedAt = performance.now();
      await stage.emptied(60_000);
      figures[rule] = Math.round(performance.now() - mendedAt);
      await expect.poll(() => readyz(daemon.address), { timeout: 5_000 }).toEqual({ ok: true, reasons: [] });
      const lines = daemon.log.slice(told);
      expect(lines.filter(({ code }) => code === "invariant-broken")).toEqual([]);
      const unfit = lines.filter(({ event }) => event === "redis:unfit");
      expect(JSON.stringify(unfit)).toContain(`ACL SETUSER redriver ${right}`);
      expect(JSON.stringify(unfit)).toContain("redis-unsuitable");
    }
    // Within 10 s each.
    expect(Object.entries(figures).filter(([, ms]) => ms > 10_000)).toEqual([]);
    stage.deliveredOnce(bodies);
    expect(JSON.stringify(daemon.log)).not.toContain("hush-hush");
  }, 360_000);
});
