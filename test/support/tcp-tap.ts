import { once } from "node:events";
import net from "node:net";
import { onTestFinished } from "vitest";

/**
 * A TCP path to a server through a test's hands, closed with the test. Nothing is passed on but by `onConnection`, which
 * gets what comes from the client and goes back to it. An end of either side ends both. Answers its address,
 * `127.0.0.1:<port>`.
 */
export async function createTcpTap(
  { hostname, port }: URL,
  onConnection: (near: net.Socket, far: net.Socket) => void,
): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    onConnection(near, far);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}
