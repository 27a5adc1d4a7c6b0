import { once } from "node:events";
import { connect as connectTls, TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { ResettableSocket } from "../../../../src/job/service/resettable-socket.ts";
import { startRaw, type RawServer } from "../../../support/message-service-server.ts";
import { testCertificate, testCertificateKey } from "../../../support/service-certificate.ts";

async function open(server: RawServer): Promise<ResettableSocket> {
  const tcp = new ResettableSocket();
  onTestFinished(() => tcp.close());
  tcp.connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
  await once(tcp, "connect");
  return tcp;
}

test("a reset is seen as a reset, and an ordinary close is not", async () => {
  const server = await startRaw(() => undefined);
  const reset = await open(server);
  const closed = await open(server);
  reset.write("reset");
  closed.write("closed");
  await Promise.all([server.connections[0]?.received("reset"), server.connections[1]?.received("closed")]);
  reset.reset();
  closed.close();
  expect(await server.connections[0]?.ended).toBe("reset");
  expect(await server.connections[1]?.ended).toBe("closed");
});

test("a socket that still connects is closed at once", async () => {
  const server = await startRaw(() => undefined);
  const tcp = new ResettableSocket();
  tcp.connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
  tcp.reset();
  await once(tcp, "close");
  expect(tcp.destroyed).toBe(true);
});

// Resetting the TCP socket first crashes this process in the second destroy.
test("a TLS connection can be reset while it writes, and destroyed again after it", async () => {
  const server = await startRaw(({ socket }) => {
    socket.removeAllListeners("data");
    const tls = new TLSSocket(socket, { isServer: true, cert: testCertificate, key: testCertificateKey });
    tls.on("error", () => undefined).resume();
  });
  for (let round = 0; round < 20; round += 1) {
    const tcp = await open(server);
    const tls = connectTls({ socket: tcp, ca: testCertificate, servername: "localhost" });
    tcp.carry(tls);
    tls.on("error", () => undefined);
    await once(tls, "secureConnect");
    const closed = Promise.all([once(tcp, "close"), once(tls, "close")]);
    tls.write("under way");
    tcp.reset();
    tls.destroy();
    await closed;
  }
  expect(server.connections).toHaveLength(20);
});
