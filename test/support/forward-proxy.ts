import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

export interface ForwardProxyOptions {
  /** `user:password`; absent: anybody may use it. */
  readonly user?: string;
  /** Keeps what the client sends for so long, ms. It keeps it also if the client resets. */
  readonly keepsMs?: number;
}

/** A forward proxy that knows CONNECT only, on a port of its own. Every host is this machine. */
export async function startForwardProxy(options: ForwardProxyOptions = {}) {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
  };
  const serve = async (client: Socket): Promise<void> => {
    let head = "";
    while (!head.includes("\r\n\r\n")) head += String((await once(client, "data"))[0]);
    const target = /^CONNECT ([^ ]+) HTTP\/1\.1\r\n/.exec(head)?.[1];
    const authorization = /\r\nproxy-authorization: Basic ([^\r]*)/i.exec(head)?.[1] ?? "";
    if (options.user !== undefined && atob(authorization) !== options.user) {
      client.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="test"\r\n\r\n',
      );
      return;
    }
    asked.push(target ?? head);
    if (target === undefined) {
      client.end("HTTP/1.1 405 Method Not Allowed\r\n\r\n");
      return;
    }
    const onward = keep(connect(Number(target.slice(target.lastIndexOf(":") + 1)), "127.0.0.1"));
    await once(onward, "connect");
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    onward.pipe(client);
    client.on("data", (bytes: Buffer) => {
      void delay(options.keepsMs ?? 0).then(() => onward.write(bytes));
    });
    client.on("close", () => void delay(options.keepsMs ?? 0).then(() => onward.destroy()));
  };
  const server = createServer((client) => {
    serve(keep(client)).catch(() => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${options.user === undefined ? "" : `${options.user}@`}127.0.0.1:${port}`,
    forwardProxy: {
      hostname: "127.0.0.1",
      port,
      authorization: options.user === undefined ? null : `Basic ${btoa(options.user)}`,
    },
    /** `host:port` of each CONNECT that was let in. */
    asked,
  };
}
