import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Refusal } from "../refusal.ts";
import { errorAnswer, isHangUp, readExchange, type Answer, type Exchange, type Reply } from "./exchange.ts";

export interface Listener {
  readonly url: string;
  /** Ends every connection, answered or not. */
  close(): Promise<void>;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
  readonly maxBodyBytes: number;
  readonly handle: (exchange: Exchange) => Promise<Reply>;
}

// Longer than clients keep idle connections, so that the server is never the one who closes under a request.
const keepAliveTimeoutMs = 65_000;

/** An HTTP server whose every answer carries `Date` from the given clock, and that can hang up on its peer. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const server = createServer((request, response) => {
    response.sendDate = false;
    respond(request, response, options).catch(() => request.socket.destroy());
  });
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.on("clientError", (_error, socket) => socket.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    url: `http://${urlHost(options.host)}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: ListenerOptions,
): Promise<void> {
  const reply = await produce(request, options);
  if (!isHangUp(reply)) {
    write(response, reply, options.now());
    return;
  }
  if (reply.inTheMiddleOf !== undefined) {
    const { body } = reply.inTheMiddleOf;
    const bytes = typeof body === "string" ? Buffer.from(body) : body;
    writeHead(response, reply.inTheMiddleOf, bytes.length, options.now());
    const half = bytes.subarray(0, bytes.length >> 1);
    await new Promise<void>((resolve) => response.write(half, () => resolve()));
  }
  request.socket.destroy();
}

async function produce(request: IncomingMessage, options: ListenerOptions): Promise<Reply> {
  try {
    return await options.handle(await readExchange(request, options.maxBodyBytes));
  } catch (error) {
    if (error instanceof Refusal) return errorAnswer(error.status, error.message, { Connection: "close" });
    return errorAnswer(500, "the emulator failed to handle this request");
  }
}

function write(response: ServerResponse, answer: Answer, now: number): void {
  if (response.destroyed) return;
  const bytes = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
  writeHead(response, answer, bytes.length, now);
  response.end(bytes);
}

function writeHead(response: ServerResponse, answer: Answer, length: number, now: number): void {
  response.writeHead(answer.status, {
    "Content-Type": "application/json",
    "Content-Length": length,
    Date: new Date(now).toUTCString(),
    ...answer.headers,
  });
}

const urlHost = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
};
