import { once } from "node:events";
import { connect as connectTls, TLSSocket } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { ResettableSocket } from "../../../../src/job/service/resettable-socket.ts";
import { startRaw } from "../../../support/message-service-server.ts";
import { testCertificate, testCertificateKey } from "../../../support/service-certificate.ts";

// Resetting the TCP socket first crashes this process in the second destroy.
test("a TLS connection can be reset while it writes, and destroyed again after it", async () => {
  const server = await startRaw(({ socket }) => {
    socket.removeAllListeners("data");
    const tls = new TLSSocket(socket, { isServer: true, cert: testCertificate, key: testCertificateKey });
    tls.on("error", () => undefined).resume();
  });
  for (let round = 0; round < 20; round += 1) {
    const tcp = new ResettableSocket();
    onTestFinished(() => tcp.close());
    tcp.connect(Number(new URL(server.baseUrl).port), "127.0.0.1");
    await once(tcp, "connect");
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
