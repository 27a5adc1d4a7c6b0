import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { RedriverError } from "./job/contracts/errors.ts";

export interface ServerAddress {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Limit for a request from its first byte to its last, and again for the peer to read the answer. */
  readonly requestTimeoutMs: number;
}

/**
 * An HTTP server that strangers reach. It holds a bounded number of connections, each with one answer at a
 * time, and cuts off what stays unread too long. A newcomer always gets in: a connection that keeps the
 * server waiting is closed for it.
 */
interface BoundedServerOptions extends ServerAddress {
  /** `env`: Node's own request, for the peer's address. */
  readonly fetch: (request: Request, env: unknown) => Response | Promise<Response>;
  /** Beyond it each new connection closes the least useful one. */
  readonly maxConnections: number;
  readonly maxHeaderBytes: number;
  /** The names in the error of an address that cannot be bound: `http`, and the variable that changes it. */
  readonly setting: string;
  readonly variable: string;
}

interface Connection {
  readonly turns: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse }[];
}

/** Interval of the search for slow senders. Node's own 30 s would let them have four times as long. */
const checkEveryMs = 1_000;
/** Requests of one connection in hand. No prober, scraper or service is known to use HTTP pipelining. */
const maxTurns = 8;
/** A scraper's pause is longer, so it connects anew. Sooner requests are spared the handshake. */
const keepAliveTimeoutMs = 5_000;
/** Connections that wait to be accepted while this process is busy. The kernel may allow fewer. */
const backlog = 2_048;
/** HTTP/1.0 needs no Host, and the pages do not depend on it. */
const hostname = "localhost";

export async function listenBounded(options: BoundedServerOptions) {
  const { requestTimeoutMs } = options;
  const answer = getRequestListener(options.fetch, { hostname });
  const server = createServer({
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(checkEveryMs, requestTimeoutMs),
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: options.maxHeaderBytes,
  });
  /** In the order in which each last began to wait for a request, or for an answer. */
  const connections = new Map<Socket, Connection>();

  server.on("connection", (socket: Socket) => {
    if (connections.size >= options.maxConnections) {
      const leaving = leastUseful(connections);
      if (leaving !== undefined) connections.delete(leaving);
      leaving?.destroy();
    }
    connections.set(socket, { turns: [] });
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    if (connection.turns.length === maxTurns) {
      // The bytes sent after this request are read too, and dropped.
      socket.destroy();
      return;
    }
    connection.turns.push({ incoming, outgoing });
    if (connection.turns.length === 1) takeTurn(socket, connection);
  });

  function takeTurn(socket: Socket, connection: Connection): void {
    // It begins to wait for something else, so it goes to the end.
    if (connections.delete(socket)) connections.set(socket, connection);
    const [turn] = connection.turns;
    if (turn === undefined || socket.destroyed) return;
    const { incoming, outgoing } = turn;
    let cut: NodeJS.Timeout | undefined;
    outgoing.once("prefinish", () => {
      cut = setTimeout(() => socket.destroy(), requestTimeoutMs);
    });
    outgoing.once("close", () => {
      clearTimeout(cut);
      connection.turns.shift();
      takeTurn(socket, connection);
    });
    answer(incoming, outgoing).catch(() => socket.destroy());
  }

  server.listen({ port: options.port, host: options.host, backlog });
  try {
    await once(server, "listening");
  } catch (error) {
    const { setting, host, port, variable } = options;
    const isInUse = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
    const variables = isInUse ? variable : `${variable.replace(/PORT$/, "HOST")}, ${variable}`;
    throw new RedriverError(
      "settings-invalid",
      `${setting}: expected an address that can be bound, got ${host}:${port}${isInUse ? ", which is in use" : ""} (${variables})`,
      { cause: error },
    );
  }
  const { address, family, port } = server.address() as AddressInfo;
  return {
    address: `${family === "IPv6" ? `[${address}]` : address}:${port}`,
    port,
    /** Stops listening. Requests in hand may end within `withinMs`, then every socket is closed. */
    async close(withinMs: number): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), withinMs);
      await closed;
      clearTimeout(cut);
    },
  };
}

/** Connections that keep the server waiting go before those that it keeps waiting; of equals, the longest. */
function leastUseful(connections: ReadonlyMap<Socket, Connection>): Socket | undefined {
  let found: Socket | undefined;
  let least = Infinity;
  for (const [socket, connection] of connections) {
    const use = toUse(connection);
    if (use < least) [found, least] = [socket, use];
    if (use === 0) break;
  }
  return found;
}

function toUse({ turns: [turn] }: Connection): number {
  if (turn === undefined) return 0; // idle, or slow with its headers
  if (!turn.incoming.complete) return 1; // slow with its body
  return turn.outgoing.writableEnded ? 2 : 3; // slow to read, or still being answered
}
