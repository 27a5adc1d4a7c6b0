import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, type AddressInfo } from "node:net";
import { createServer } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { runToEnd } from "../../support/command.ts";
import { createEnv } from "../../support/daemon.ts";
import { startForwardProxy } from "../../support/forward-proxy.ts";
import { useRedis } from "../../support/redis.ts";
import { startService } from "../../support/service.ts";
import { testCertificate, testCertificateKey } from "../../support/service-certificate.ts";

const redis = useRedis();

const document = `
version: 1
sources: { default: { url: { env: SERVICE } } }
drains:
  main: { rules: [{ name: outage, when: { responseStatus: [503] }, then: republish }] }
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

async function setUp(except: string) {
  const { emulator, receiver } = await startService({
    indexes: ["catalog-id"],
    statsCredentials: { username: "index-user", password: "index-password" },
  });
  const front = await startTlsFront(emulator.url);
  const hook = await startTlsFront(receiver.url);
  const proxy = await startForwardProxy({ user: "ops:s3cret" });
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
  return {
    proxy,
    hosts: { front: new URL(front).host, hook: new URL(hook).host },
    env: { ...env, NODE_EXTRA_CA_CERTS: `${folder.path}/ca.pem` },
  };
}

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
