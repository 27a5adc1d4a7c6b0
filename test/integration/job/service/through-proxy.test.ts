import { TLSSocket } from "node:tls";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { createManualClock } from "../../../support/manual-clock.ts";
import { startForwardProxy } from "../../../support/forward-proxy.ts";
import {
  connectTo,
  rawAnswer,
  startRaw,
  watch,
  type RawConnection,
} from "../../../support/message-service-server.ts";
import { testCertificate, testCertificateKey } from "../../../support/service-certificate.ts";

const items = ['{"destination":"https://a.example"}'];
const whole = `[${items.join(",")}]`;
const accepted = rawAnswer(200, '[{"messageId":"msg_1"}]');

/** A server with TLS. Its address names a host that only the proxy finds. */
async function startService(onRequest: (connection: RawConnection) => void) {
  const peers: RawConnection[] = [];
  const server = await startRaw(({ socket }) => {
    socket.removeAllListeners("data");
    const tls = new TLSSocket(socket, { isServer: true, cert: testCertificate, key: testCertificateKey });
    const peer = watch(tls);
    peers.push(peer);
    onRequest(peer);
  }, "https");
  return { baseUrl: server.baseUrl.replace("127.0.0.1", "localhost"), peers };
}

test.each([undefined, "ops:s3cret"])("a batch goes through the proxy, user %s", async (user) => {
  const proxy = await startForwardProxy(user === undefined ? {} : { user });
  const { baseUrl } = await startService((peer) => peer.when(whole, () => peer.socket.write(accepted)));
  const { service } = connectTo(baseUrl, { proxy: proxy.forwardProxy, ca: testCertificate });
  expect(await service.publish(items, () => true)).toMatchObject({ kind: "answered" });
  expect(proxy.asked).toEqual([new URL(baseUrl).host]);
});

test("a late batch is withheld behind a proxy that buffers: its last byte never leaves", async () => {
  const proxy = await startForwardProxy({ keepsMs: 200 });
  const { baseUrl, peers } = await startService(() => undefined);
  const { service } = connectTo(baseUrl, { proxy: proxy.forwardProxy, ca: testCertificate });
  expect(await service.publish(items, () => false)).toMatchObject({ kind: "not-sent", why: "too-late" });
  await peers[0]?.ended;
  await delay(400);
  expect(peers[0]?.text()).toContain("POST ");
  expect(peers[0]?.text()).not.toContain(whole);
});

test("what a proxy keeps arrives after the answer was given up, so the batch is in doubt", async () => {
  const proxy = await startForwardProxy({ keepsMs: 300 });
  const clock = createManualClock();
  const { baseUrl, peers } = await startService(() => undefined);
  const { service } = connectTo(baseUrl, { proxy: proxy.forwardProxy, ca: testCertificate, clock });
  const published = service.publish(items, () => true);
  while (peers.length === 0) await delay(20);
  await peers[0]?.received("POST ");
  await delay(50);
  clock.advance(30_000);
  expect(await published).toMatchObject({ kind: "in-doubt" });
  await peers[0]?.received(whole);
});
