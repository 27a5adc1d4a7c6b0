import { once } from "node:events";
import net from "node:net";

/** A TCP path that can be cut and black-holed. Port 0 at first, the same port ever after. */
export interface TcpProxy {
  readonly port: number;
  /** Resets all connections and refuses new ones. */
  cut(): Promise<void>;
  heal(): Promise<void>;
  /** Keeps connections and passes nothing on. */
  swallow(): void;
  close(): Promise<void>;
}

export async function createTcpProxy(target: {
  readonly host: string;
  readonly port: number;
}): Promise<TcpProxy> {
  const sockets = new Set<net.Socket>();
  let isSwallowing = false;
  const server = net.createServer((near) => {
    const far = net.connect(target.port, target.host);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on("data", (data) => {
        if (!isSwallowing) other.write(data);
      });
      one.on("error", () => undefined);
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as net.AddressInfo;

  const cut = async (): Promise<void> => {
    for (const socket of sockets) socket.resetAndDestroy();
    if (!server.listening) return;
    server.close();
    await once(server, "close");
  };
  return {
    port,
    cut,
    async heal() {
      isSwallowing = false;
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    swallow() {
      isSwallowing = true;
    },
    close: cut,
  };
}
