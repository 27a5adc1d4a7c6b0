import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";

/** Listens on loopback; port 0 is any. Resolves to the port, rejects when it is taken. */
export async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A port on which nothing listens just now; port 0 is any. */
export async function probePort(port: number): Promise<number> {
  const server = createServer();
  const free = await listen(server, port);
  await once(server.close(), "close");
  return free;
}
