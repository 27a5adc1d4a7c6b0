import type net from "node:net";
import { createServer } from "node:net";

/** Listens on loopback; port 0 is any. Resolves to the port, rejects when it is taken. */
export function listen(server: net.Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve((server.address() as net.AddressInfo).port);
    });
  });
}

/** A port on which nothing listens just now; port 0 is any. */
export async function probePort(port: number): Promise<number> {
  const server = createServer();
  const free = await listen(server, port);
  await new Promise((resolve) => server.close(resolve));
  return free;
}
