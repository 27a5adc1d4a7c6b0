import type { Redis } from "ioredis";
import { afterEach, describe, expect, test } from "vitest";
import { longestReadS } from "../../../../src/job/queue/queue-worker.ts";
import { createRedis, toBullmqConnection, type RedisConnection } from "../../../../src/job/redis/connect.ts";
import { toAddress } from "../../../../src/job/redis/target.ts";
import { defineScript } from "../../../../src/job/redis/script-runner.ts";
import { useRedis } from "../../../support/redis.ts";
import { createTcpProxy } from "../../../support/tcp-proxy.ts";

const redis = useRedis("own");
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function connect(url: string, settings: Partial<Parameters<typeof createRedis>[1]> = {}): RedisConnection {
  const connection = createRedis({ url }, { role: "test", ...settings });
  cleanups.push(() => connection.close());
  return connection;
}

async function proxied() {
  const { hostname, port, pathname } = new URL(redis.url());
  const proxy = await createTcpProxy({ host: hostname, port: Number(port) });
  cleanups.push(() => proxy.close());
  return { proxy, url: `redis://127.0.0.1:${proxy.port}${pathname}` };
}

async function timed<Result>(work: Promise<Result>): Promise<{ error: unknown; ms: number }> {
  const startedAt = performance.now();
  const error = await work.then(
    () => null,
    (failure: unknown) => failure,
  );
  return { error, ms: performance.now() - startedAt };
}

describe("a connection", () => {
  test("that is not there fails a command at once, without showing the password", async () => {
    const connection = connect("redis://user:secret@127.0.0.1:1/0");
    const { error, ms } = await timed(connection.command("PING"));
    expect(error).toMatchObject({ code: "redis-unavailable", disposition: "retry" });
    expect(String(error)).toContain("127.0.0.1:1");
    expect(String(error)).not.toContain("secret");
    expect(ms).toBeLessThan(7_000);
    expect(await timed(connection.ready(50))).toMatchObject({ error: { code: "redis-unavailable" } });
    expect((await timed(connection.close())).ms).toBeLessThan(5_000);
  });

  test("that was cut fails at once, and comes back by itself, which is counted once", async () => {
    const { proxy, url } = await proxied();
    const connection = connect(url);
    await connection.ready(5_000);
    await proxy.cut();
    const { error, ms } = await timed(connection.command("PING"));
    expect(error).toMatchObject({ code: "redis-unavailable" });
    expect(ms).toBeLessThan(7_000);
    expect(connection.isReady()).toBe(false);
    await proxy.heal();
    await connection.ready(5_000);
    expect(await connection.command("PING")).toBe("PONG");
    expect(connection.timesReady()).toBe(2);
  });

  test("that swallows everything fails within two seconds, and closing it does not hang", async () => {
    const { proxy, url } = await proxied();
    const connection = connect(url);
    await connection.ready(5_000);
    proxy.swallow();
    const { error, ms } = await timed(connection.command("PING"));
    expect(error).toMatchObject({ code: "redis-unavailable" });
    expect(String(error)).toContain("timeout");
    expect(ms).toBeLessThan(8_000);
    expect((await timed(connection.close())).ms).toBeLessThan(5_000);
  });

  test("takes the answer that is there after this process stood still for longer than the timeout", async () => {
    const connection = connect(redis.url());
    await connection.ready(5_000);
    const answer = connection.command("PING");
    // Sent, then starved of its CPU.
    await new Promise((sent) => setImmediate(sent));
    const until = performance.now() + 2_500;
    while (performance.now() < until);
    expect(await answer).toBe("PONG");
  });

  test("with a wrong password is unsuitable, not away", async () => {
    const own = redis.fresh();
    await own.command("ACL", "SETUSER", "limited", "on", ">right", "+ping", "~none");
    cleanups.push(() => own.command("ACL", "DELUSER", "limited"));
    const { host } = new URL(redis.url());
    const wrong = connect(`redis://limited:wrong@${host}`);
    expect(await timed(wrong.ready(500))).toMatchObject({ error: { code: "redis-unsuitable" } });
    const limited = connect(`redis://limited:right@${host}`);
    await limited.ready(2_000);
    const { error } = await timed(limited.command("GET", "k"));
    expect(error).toMatchObject({ code: "redis-unsuitable", disposition: "halt" });
    expect(String(error)).toContain("NOPERM");
  });

  test("runs a script that the server has forgotten", async () => {
    const connection = connect(redis.url());
    await connection.ready(5_000);
    const script = defineScript("sum", "return tonumber(ARGV[1]) + tonumber(ARGV[2])");
    expect(await connection.run(script, [], [1, 2])).toBe(3);
    await connection.command("SCRIPT", "FLUSH");
    expect(await connection.run(script, [], [2, 3])).toBe(5);
  });

  test("says which command failed when a script is wrong, and it is a broken invariant", async () => {
    const failing = defineScript("failing", "error('no')");
    const { error } = await timed(redis.fresh().run(failing, [], ["a secret"]));
    expect(error).toMatchObject({ code: "invariant-broken" });
    expect(String(error)).not.toContain("a secret");
  });

  test("over TLS does not talk to a server without it", async () => {
    const connection = connect(redis.url().replace("redis:", "rediss:"));
    expect(await timed(connection.ready(500))).toMatchObject({ error: { code: "redis-unavailable" } });
  });
});

test("a worker's connection waits for ever and drops a socket that is silent for longer than a read; a queue's fails at once", () => {
  const worker = toBullmqConnection({ url: redis.url() }, "worker");
  const reading = (worker as Redis).duplicate();
  const queue = toBullmqConnection({ url: redis.url() }, "queue");
  expect(worker.options).toMatchObject({ maxRetriesPerRequest: null, socketTimeout: 12_000 });
  expect(worker.options).not.toHaveProperty("commandTimeout", expect.any(Number));
  expect(reading.options.socketTimeout).toBeGreaterThan(1_000 * longestReadS);
  expect(queue.options).toMatchObject({ maxRetriesPerRequest: 1, enableOfflineQueue: false });
  for (const one of [worker, reading, queue]) one.disconnect();
});

test("an address has no credentials", () => {
  expect(toAddress({ url: "rediss://user:pass@cache.example.com/2" })).toBe("cache.example.com:6379");
  expect(toAddress({ url: "not a url" })).toBe("an unreadable redis.url");
});
