import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, type AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { runToEnd } from "../../support/command.ts";
import type { EmulatorOptions } from "../../../dev/emulator/index.ts";
import { createEnv, startDaemon } from "../../support/daemon.ts";
import { startForwardProxy } from "../../support/forward-proxy.ts";
import { useRedis } from "../../support/redis.ts";
import type { Receiver } from "../../support/receiver.ts";
import { seedLetters, startService } from "../../support/service.ts";
import { testCertificate, testCertificateKey } from "../../support/service-certificate.ts";

const redis = useRedis();

const document = `
version: 1
sources: { default: { url: { env: SERVICE } } }
drains:
  main:
    mode: live
    schedule: { every: 500ms, full: 5s }
    lane: none
    limits: { publish: none, perHost: none }
    minAge: 0s
    attempts: { max: 5, wait: [1s], then: park }
    rules:
      - { name: outage, when: { responseStatus: [503] }, then: republish }
notify:
  oncall: { url: { env: HOOK }, form: events, events: [backlog.ended], allowPrivate: true }
indexes:
  catalog: { id: catalog-id, credentials: { user: { env: INDEX_USER }, password: { env: INDEX_PASSWORD } } }
`;

/** The same server with TLS in front of it. */
async function startTlsFront(url: string): Promise<string> {
  const front = createServer({ cert: testCertificate, key: testCertificateKey }, (socket) => {
    const onward = connect(Number(new URL(url).port), "127.0.0.1");
    onward.on("error", () => socket.destroy());
    socket.on("error", () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  front.listen(0, "127.0.0.1");
  await once(front, "listening");
  onTestFinished(() => void front.close());
  return `https://localhost:${(front.address() as AddressInfo).port}`;
}

async function setUp(except: string, keepsMs = 0, options: EmulatorOptions = {}) {
  const { emulator, receiver } = await startService({
    ...options,
    indexes: ["catalog-id"],
    statsCredentials: { username: "index-user", password: "index-password" },
  });
  const front = await startTlsFront(emulator.url);
  const hook = await startTlsFront(receiver.url);
  const proxy = await startForwardProxy({ user: "ops:s3cret", keepsMs });
  const { env, folder } = createEnv({
    emulator,
    redisUrl: redis.url(),
    document: document.replace("url: { env: SERVICE }", `url: "${front}"`),
    env: {
      HOOK: `${hook}/hook`,
      INDEX_USER: "index-user",
      INDEX_PASSWORD: "index-password",
      REDRIVER_STATISTICS_URL: front,
      HTTPS_PROXY: proxy.url,
      NO_PROXY: except,
    },
  });
  writeFileSync(`${folder.path}/ca.pem`, testCertificate);
  const seed = (name: string, count: number, size = 0): readonly string[] => {
    const bodies = Array.from({ length: count }, (_, index) => `${name} ${index} ${"x".repeat(size)}`);
    seedLetters(emulator, count, (index) => ({ url: `${receiver.url}/orders`, body: bodies[index] }));
    return bodies;
  };
  seed("message", 250);
  return {
    emulator,
    receiver,
    proxy,
    seed,
    hosts: { front: new URL(front).host, hook: new URL(hook).host },
    env: { ...env, NODE_EXTRA_CA_CERTS: `${folder.path}/ca.pem` },
  };
}

/** Of messages. The notice that the backlog has ended goes to the same server. */
function countsOf({ deliveries }: Receiver): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path, body } of deliveries) {
    if (path === "/orders") counts.set(body, (counts.get(body) ?? 0) + 1);
  }
  return counts;
}

/** Beside a proxy that buffers: each of these alone has a test elsewhere. */
it("a slow proxy, lost answers, poison, a rate limit and large messages together double and lose nothing", async () => {
  const { emulator, receiver, proxy, hosts, seed, env } = await setUp("", 50, {
    rateLimits: { dlq: { limit: 20, windowMs: 1_000 } },
  });
  const large = seed("large", 20, 400_000);
  const poison = seed("poison", 3);
  emulator.faults.add({ kind: "refuse-batch", bodyContains: "poison " });
  emulator.faults.add({ kind: "drop-answer", operation: "batch", when: "after", probability: 0.2 });
  emulator.faults.add({ kind: "drop-answer", operation: "delete", when: "after", probability: 0.2 });
  await startDaemon(env);
  await expect.poll(() => emulator.dlq.size, { timeout: 100_000, interval: 200 }).toBe(poison.length);
  await emulator.idle();
  const counts = countsOf(receiver);
  expect(counts.size).toBe(250 + large.length);
  expect(new Set(counts.values())).toEqual(new Set([1]));
  expect(large.every((body) => counts.get(body) === 1)).toBe(true);
  expect(poison.every((body) => !counts.has(body))).toBe(true);
  expect(proxy.asked).toContain(hosts.front);
}, 120_000);

it("statistics and notices go through the proxy, and hosts of NO_PROXY past it", async () => {
  const { proxy, hosts, env } = await setUp("");
  const stats = await runToEnd(["index", "stats", "catalog"], env);
  expect(stats).toMatchObject({ exitCode: 0 });
  expect(proxy.asked).toEqual([hosts.front]);
  expect(await runToEnd(["notify", "test", "oncall"], env)).toMatchObject({ exitCode: 0 });
  expect(proxy.asked).toEqual([hosts.front, hosts.hook]);

  const direct = await setUp("localhost");
  expect(await runToEnd(["index", "stats", "catalog"], direct.env)).toMatchObject({ exitCode: 0 });
  expect(direct.proxy.asked).toEqual([]);
}, 60_000);
