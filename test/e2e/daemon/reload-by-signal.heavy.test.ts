import { join } from "node:path";
import { expect, it } from "vitest";
import { start } from "../../support/command.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { useRedis } from "../../support/redis.ts";
import { startService } from "../../support/service.ts";

const redis = useRedis();

const document = `version: 1
sources: { default: {} }
drains:
  main:
    schedule: { every: 500ms }
    rules: [{ name: all, when: { responseStatus: 503 }, then: hold }]
`;

async function setUp() {
  const { emulator } = await startService();
  const { env, folder } = createEnv({ emulator, redisUrl: redis.url(), document });
  const { REDRIVER_SERVICE_TOKEN: token = "", ...rest } = env;
  const tokenFile = folder.write("token", `${token}\n`);
  return { emulator, folder, token, env: { ...rest, REDRIVER_SERVICE_TOKEN_FILE: tokenFile } };
}

it("SIGHUP reads document and secrets again at once, and tells what is wrong with either", async () => {
  const { emulator, folder, token, env } = await setUp();
  const daemon = await startDaemon(env);
  const all = (event: string) => daemon.log.filter((line) => line["event"] === event);
  const hangUp = (event: string): Promise<Readonly<Record<string, unknown>>> => {
    const before = all(event).length;
    daemon.child.kill("SIGHUP");
    return daemon.line((line) => all(event).indexOf(line) >= before, 10_000);
  };

  // That of the start.
  await daemon.line(({ event }) => event === "document:adopted");
  // The same document once more: only a signal makes the daemon judge it again.
  const { level, before, hash } = await hangUp("document:adopted");
  expect([level, hash]).toEqual(["info", before]);
  expect(all("daemon:reloading")).toHaveLength(1);

  folder.write("drains.yaml", document.replace("then: hold", "then: keep"));
  await daemon.line((line) => line["event"] === "document:rejected");
  expect(await hangUp("document:rejected")).toMatchObject({ level: "error", hash });

  // Tokens are read every 30 s without a signal.
  emulator.setToken("rotated");
  folder.write("token", '"rotated"\n');
  const refused = await hangUp("source:secret-refused");
  expect(String(refused["problem"])).toContain(`${join(folder.path, "token")}: expected the secret alone`);
  expect(JSON.stringify(daemon.log)).not.toMatch(new RegExp(`rotated|${token}`));
  folder.write("token", "rotated\n");
  expect(await hangUp("source:token-read")).toMatchObject({ changed: true });

  folder.write("drains.yaml", document.replace("then: hold", "then: park"));
  const adopted = await hangUp("document:adopted");
  expect(adopted["hash"]).not.toBe(hash);
  expect(daemon.child.exitCode).toBeNull();
  await daemon.endsWell();
}, 60_000);

it("many SIGHUPs, also during the start and the end, leave the daemon as it is", async () => {
  const { env } = await setUp();
  const daemon = await startDaemon(env);
  for (let count = 0; count < 50; count += 1) daemon.child.kill("SIGHUP");
  const adopted = await daemon.line(
    (line) => line["event"] === "document:adopted" && line["before"] !== null,
  );
  expect(adopted["hash"]).toBe(adopted["before"]);
  daemon.child.kill("SIGTERM");
  daemon.child.kill("SIGHUP");
  expect((await daemon.ended).exitCode).toBe(0);
}, 60_000);

it("a command in the foreground ends at SIGHUP as at SIGTERM", async () => {
  const { env } = await setUp();
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    const watching = start(["status", "--watch"], env);
    await new Promise((resolve) => watching.child.stdout?.once("data", resolve));
    watching.child.kill(signal);
    expect((await watching.ended).exitCode, signal).toBe(0);
  }
}, 60_000);
