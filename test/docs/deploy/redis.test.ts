import { writeFileSync } from "node:fs";
import path from "node:path";
import { Redis } from "ioredis";
import { onTestFinished, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readDoc } from "../../support/markdown.ts";
import type { Tree } from "../../support/kubernetes/kustomize.ts";
import { createRedisServers } from "../../support/redis-servers.ts";

const users = readDoc("deploy/overlays/development/users.acl");

describe("the Redis of deploy/redis", () => {
  it("keeps what it is told, evicts nothing, and lets in only who is in its file", async () => {
    const servers = createRedisServers();
    onTestFinished(() => servers.stop());
    const file = path.join(servers.folder, "users.acl");
    writeFileSync(file, `${users}user test on >test ~* &* +@all\n`);
    const { spec }: Tree = parse(readDoc("deploy/redis/stateful-set.yaml"));
    const [program, ...args]: readonly string[] = spec.template.spec.containers[0].args;
    expect(program).toBe("redis-server");
    const here = args.map((arg) => (arg === "/run/secrets/redis/users.acl" ? file : arg));
    // Its folder is the test's.
    const server = await servers.start(here.toSpliced(here.indexOf("--dir"), 2), {
      admin: { username: "test", password: "test" },
    });
    const settings = await server.admin.config("GET", "append*", "maxmemory*");
    expect(settings).toEqual(expect.arrayContaining(["noeviction", "everysec", "yes", "536870912"]));

    const connect = (options: object): Redis => {
      const client = new Redis({ port: server.port, retryStrategy: () => null, ...options });
      client.on("error", () => undefined);
      onTestFinished(() => client.disconnect());
      return client;
    };
    const redriver = { username: "redriver", password: "development" };
    const before = connect(redriver);
    expect(await before.set("redriver:v1:x", "1")).toBe("OK");
    await expect(before.set("other", "1")).rejects.toThrow("NOPERM");
    // Two writes of a script are a transaction in the file. Redis reads it as `default`, and asks for its rights.
    const setBoth = "redis.call('SET', KEYS[1], 1) redis.call('SET', KEYS[2], 1)";
    await before.eval(setBoth, 2, "redriver:v1:y", "redriver:v1:z");
    await server.end("SIGTERM");
    await server.restart();
    expect(await connect(redriver).mget("redriver:v1:x", "redriver:v1:y", "redriver:v1:z")).toEqual([
      "1",
      "1",
      "1",
    ]);
    await expect(connect({ enableReadyCheck: false }).get("redriver:v1:x")).rejects.toThrow("NOAUTH");
  });

  it("has in development the user that docs/redis.md shows", () => {
    const line = readDoc("docs/redis.md")
      .split("\n")
      .find((text) => text.startsWith("user redriver on >PASSWORD resetchannels"));
    expect(users.split("\n")).toEqual([
      "user default off +@all ~* &*",
      line?.replace("PASSWORD", "development"),
      "",
    ]);
  });
});
