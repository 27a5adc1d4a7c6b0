import { afterAll, describe, expect, it } from "vitest";
import { startDaemon } from "../../support/daemon.ts";
import { createDrainStage, readyz } from "../../support/drain-stage.ts";
import { documentedUsers } from "../../support/redis-acl.ts";
import { createRedisServers } from "../../support/redis-servers.ts";

const servers = createRedisServers();
afterAll(() => servers.stop());

const [name = "", ...line] = documentedUsers("hush-hush").server;
const without = (...rules: readonly string[]): readonly string[] =>
  line.filter((rule) => !rules.includes(rule));

/** A Redis with the documented user, who has these rights, and what drains with it. The line names the default prefix. */
async function setUp(rules: readonly string[]) {
  const { port, admin } = await servers.start();
  const allow = (now: readonly string[]) => admin.call("ACL", "SETUSER", name, "reset", ...now);
  await allow(rules);
  const url = `redis://redriver:hush-hush@127.0.0.1:${port}`;
  return { allow, stage: await createDrainStage({ url, env: { REDRIVER_REDIS_KEY_PREFIX: "redriver" } }) };
}

const reasonsOf = async (address: string): Promise<string> => (await readyz(address)).reasons.join("\n");
const fitOf = async (address: string): Promise<string | undefined> =>
  /^redriver_redis_fit (\d)$/m.exec(await (await fetch(`${address}/metrics`)).text())?.[1];

describe("a user of Redis without rights of the line", () => {
  it("in the middle of its work names it, is fit within 10 s once it is given again, and goes on", async () => {
    const { allow, stage } = await setUp(line);
    const bodies = stage.seed(20);
    const daemon = await startDaemon(stage.setup.env);
    await stage.emptied(30_000);
    for (const rule of ["+bzpopmin", "~redriver:*"]) {
      const told = daemon.log.length;
      await allow(without(rule));
      bodies.push(...stage.seed(40));
      const named = `ACL SETUSER redriver ${rule},`;
      await expect.poll(() => reasonsOf(daemon.address), { timeout: 35_000, interval: 100 }).toContain(named);
      await expect.poll(() => fitOf(daemon.address)).toBe("0");
      await allow(line);
      await daemon.line((one) => one.event === "redis:fit" && daemon.log.indexOf(one) >= told, 10_000);
      // A window that was at work has no end until its lock (15 s) is missed by two looks, 7.5 s apart.
      await stage.emptied(60_000);
      await expect.poll(() => readyz(daemon.address), { timeout: 5_000 }).toEqual({ ok: true, reasons: [] });
      const lines = daemon.log.slice(told);
      expect(lines.filter(({ code }) => code === "invariant-broken")).toEqual([]);
      const unfit = lines.filter(({ event }) => event === "redis:unfit");
      expect(JSON.stringify(unfit)).toContain(named);
      expect(JSON.stringify(unfit)).toContain("redis-unsuitable");
    }
    stage.deliveredOnce(bodies);
    expect(JSON.stringify(daemon.log)).not.toContain("hush-hush");
  }, 240_000);
});
