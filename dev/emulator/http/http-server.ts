import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { EmulatorRefusal } from "../refusal.ts";
import { errorAnswer, type EmulatorAnswer, type Close, type Reply } from "./answers.ts";
import { readExchange, type Exchange } from "./read-request.ts";

interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
  readonly maxBodyBytes: number;
  readonly handle: (exchange: Exchange) => Promise<Reply>;
}

// Longer than clients keep idle connections, so that the server is never the one who closes under a request.
const keepAliveTimeoutMs = 65_000;
// Request line and headers: a query of 100 ids and long URLs fits.
const maxHeadBytes = 65_536;

// A peer that finds bytes and a reset at once may take it for a polite end [libuv does], so the bytes go
// ahead.
const beforeResetMs = 50;

/**
 * An HTTP server whose every answer carries `Date` from the given clock, and that can hang up on its peer.
 */
export async function listen(options: ListenerOptions) {
  // What Node refuses by itself it refuses without a body.
  const server = createServer(
    { maxHeaderSize: maxHeadBytes, requireHostHeader: false },
    (request, response) => {
      response.sendDate = false;
      respond(request, response, options).catch(() => request.socket.destroy());
    },
  );
  server.on("checkExpectation", (_request, response) => {
    response.sendDate = false;
    writeAnswer(response, lastAnswer(417, "only Expect: 100-continue can be met"), options.now());
  });
  server.keepAliveTimeout = keepAliveTimeoutMs;
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuse(error, socket as Socket));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    url: `http://${urlHost(options.host)}:${(server.address() as AddressInfo).port}`,
    /** Ends every connection, answered or not. */
    close: () =>
      new Promise<void>((resolve) => {
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
  if ("hangUp" in reply) {
    if (reply.inTheMiddleOf !== undefined) {
      await writeHalves(response, reply.inTheMiddleOf, options.now(), () => Promise.resolve(false));
      if (reply.hangUp === "reset") await setTimeout(beforeResetMs);
    }
    end(request.socket, reply.hangUp);
  } else if ("pauseIn" in reply) {
    const whole = await writeHalves(response, reply.pauseIn, options.now(), () => reply.goesOn);
    if (!whole) end(request.socket, "fin");
  } else writeAnswer(response, reply, options.now());
}

async function produce(request: IncomingMessage, options: ListenerOptions): Promise<Reply> {
  if (request.httpVersion === "1.1" && request.headers.host === undefined) {
    return lastAnswer(400, "a request needs a Host header");
  }
  try {
    return await options.handle(await readExchange(request, options.maxBodyBytes));
  } catch (error) {
    if (error instanceof EmulatorRefusal) return lastAnswer(error.status, error.message);
    return errorAnswer(500, "the emulator failed to handle this request");
  }
}

/** After it the connection ends: what follows on it may be the rest of a body. */
const lastAnswer = (status: number, error: string): EmulatorAnswer =>
  errorAnswer(status, error, { Connection: "close" });

function end(socket: Socket, close: Close): void {
  // resetAndDestroy sends a FIN before its reset, so that the peer sees a polite end [measured: Node 20.20];
  // this mark, which that method sets, makes destroy reset at once.
  if (close === "reset") Object.assign(socket, { resetAndClosing: true });
  socket.destroy();
}

/** What is not HTTP, or has too long a head, gets an answer before the connection ends. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400;
  const body = JSON.stringify({
    error: status === 431 ? `request head exceeds ${maxHeadBytes} bytes` : "bad request",
  });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}

const urlHost = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
};

function writeAnswer(response: ServerResponse, answer: EmulatorAnswer, now: number): void {
  if (response.destroyed) return;
  const bytes = bytesOf(answer);
  writeHead(response, answer, bytes.length, now);
  response.end(bytes);
}

/** Head and half of the body, then the rest if it is still wanted. Resolves to whether it was. */
async function writeHalves(
  response: ServerResponse,
  answer: EmulatorAnswer,
  now: number,
  goesOn: () => Promise<boolean>,
): Promise<boolean> {
  const bytes = bytesOf(answer);
  const half = bytes.length >> 1;
  if (!response.destroyed) {
    writeHead(response, answer, bytes.length, now);
    response.flushHeaders();
    if (half > 0)
      await new Promise<void>((resolve) => response.write(bytes.subarray(0, half), () => resolve()));
  }
  if (!(await goesOn())) return false;
  response.end(bytes.subarray(half));
  return true;
}

function writeHead(response: ServerResponse, answer: EmulatorAnswer, length: number, now: number): void {
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Length", length);
  response.setHeader("Date", new Date(now).toUTCString());
  // The answer's own replace them, whatever their case.
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  response.writeHead(answer.status);
}

const bytesOf = ({ body }: EmulatorAnswer): Buffer => (typeof body === "string" ? Buffer.from(body) : body);
