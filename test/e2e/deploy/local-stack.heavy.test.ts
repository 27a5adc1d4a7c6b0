import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parseMetrics } from "../../../dev/demo/scraped-metrics.ts";
import { runChild } from "../../support/child.ts";
import { here, mountsOf, readCompose, type ComposeService } from "../../support/compose.ts";
import { createFolder, start } from "../../support/command.ts";
import { startDaemon } from "../../support/daemon.ts";
import { root } from "../../support/markdown.ts";
import { createRedisServers, freePort } from "../../support/redis-servers.ts";

/**
 * The services of deploy/local/compose.yaml as processes of this machine, by the file's own command lines,
 * variables and files. Only addresses are others, and no container is there.
 */
const compose = readCompose();
const serviceOf = (name: string): ComposeService => compose.services[name]!;
const fileOf = (name: string, file: string): string => here(mountsOf(compose, serviceOf(name)), file);

/** It has one user more, with whom the test sees that it is up. */
async function startRedis(): Promise<number> {
  const servers = createRedisServers();
  onTestFinished(() => servers.stop());
  const users = "/run/secrets/users.acl";
  const file = path.join(servers.folder, "users.acl");
  writeFileSync(file, `${readFileSync(fileOf("redis", users), "utf8")}user test on >test ~* &* +@all\n`);
  const [, ...args] = (serviceOf("redis").command ?? []).map((arg) => (arg === users ? file : arg));
  const admin = { username: "test", password: "test" };
  return (await servers.start(args.toSpliced(args.indexOf("--dir"), 2), { admin })).port;
}

/** Resolves when it answers. */
async function startReceiver(): Promise<string> {
  const port = await freePort();
  const [program = "", ...args] = (serviceOf("receiver").entrypoint ?? []).map((arg) =>
    arg.replace("listen(8080)", `listen(${port}, "127.0.0.1")`),
  );
  void runChild(program, args, { cwd: root });
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(async () => (await fetch(url, { method: "POST", body: "x" })).status).toBe(200);
  return url;
}

async function startEmulator(receiverUrl: string): Promise<string> {
  const args = (serviceOf("emulator").command ?? []).map((arg) =>
    arg.replace("0.0.0.0", "127.0.0.1").replace("http://receiver:8080", receiverUrl),
  );
  const { line } = start([...args, "--port", "0", "--control-port", "0", "--json"]);
  return String((await line(() => true))["url"]);
}

it("the local stack drains to its receiver, and its console lets in by token alone", async () => {
  const [redisPort, receiverUrl] = await Promise.all([startRedis(), startReceiver()]);
  const serviceUrl = await startEmulator(receiverUrl);
  const mounts = mountsOf(compose, serviceOf("redriver"));
  const given = Object.entries(serviceOf("redriver").environment ?? {});
  const redisUrl = readFileSync(fileOf("redriver", "/run/secrets/redis-url"), "utf8");
  const daemon = await startDaemon({
    ...Object.fromEntries(given.map(([name, value]) => [name, here(mounts, value)])),
    REDRIVER_SERVICE_URL: serviceUrl,
    REDRIVER_REDIS_URL_FILE: createFolder().write(
      "redis-url",
      redisUrl.replace("redis:6379", `127.0.0.1:${redisPort}`),
    ),
    REDRIVER_HTTP_HOST: "127.0.0.1",
    REDRIVER_HTTP_PORT: "0",
    REDRIVER_CONSOLE_HOST: "127.0.0.1",
    REDRIVER_CONSOLE_PORT: "0",
  });
  const settled = async (): Promise<number> => {
    const page = await (await fetch(`${daemon.address}/metrics`)).text();
    return parseMetrics(page).sum("redriver_settled_total", { drain: "everything" }) ?? 0;
  };
  // The first canaries of the lane to the receiver.
  await expect.poll(settled, { timeout: 30_000 }).toBeGreaterThanOrEqual(5);
  const [, , token] = readFileSync(fileOf("redriver", "/run/secrets/console-tokens"), "utf8")
    .trim()
    .split(" ");
  const statusWith = async (headers: Readonly<Record<string, string>>): Promise<number> =>
    (await fetch(`${daemon.consoleUrl}/api/v1/status`, { headers })).status;
  expect(await statusWith({})).toBe(401);
  expect(await statusWith({ authorization: `Bearer ${token}` })).toBe(200);
}, 90_000);
