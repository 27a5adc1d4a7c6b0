import { once } from "node:events";
import net from "node:net";

/** What comes from the client and goes back to it; each passes its bytes on, or keeps them. */
export type OnConnection = (near: net.Socket, far: net.Socket) => void;

export interface TcpPath {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * A TCP path to a server on which nothing is passed on but by `onConnection`. An end of either side ends
 * both.
 */
export async function openTcpPath(
  target: { readonly host: string; readonly port: number },
  onConnection: OnConnection,
): Promise<TcpPath> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(target.port, target.host);
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
  return {
    port: (server.address() as net.AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
