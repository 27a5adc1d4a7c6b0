import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { Clock } from "../../src/job/contracts/clock.ts";
import {
  createMessageService,
  type ClosableMessageService,
  type MessageServiceOptions,
  type ServiceAnswer,
} from "../../src/job/service/message-service.ts";
import { createManualClock } from "./manual-clock.ts";
import { serve } from "./serve.ts";

export const testToken = "eyJVc2VySUQiOiJ0ZXN0In0=";

export interface SeenRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Canned {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface TestServer {
  readonly baseUrl: string;
  /** Whole requests, in order. */
  readonly requests: readonly SeenRequest[];
  /** Connections accepted so far. */
  connectionCount(): number;
}

/**
 * An HTTP server that reads each request to its end and answers it. Bodies that are not strings are sent as
 * JSON.
 */
export async function startHttp(
  answer: (request: SeenRequest) => Canned | Promise<Canned>,
): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request = {
      method: incoming.method ?? "",
      url: new URL(incoming.url ?? "", "http://test"),
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    };
    requests.push(request);
    const { status = 200, headers = {}, body = "" } = await answer(request);
    response.writeHead(status, headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch(() => incoming.socket.destroy());
  });
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  const { url: baseUrl, close } = await serve(server);
  onTestFinished(close);
  return { baseUrl, requests, connectionCount: () => connections };
}

export interface RawConnection {
  readonly socket: Socket;
  /** Everything received so far. */
  readonly text: () => string;
  /** Resolves when what was received holds this. */
  readonly received: (part: string) => Promise<void>;
  /** Acts as soon as what was received holds this. */
  readonly when: (part: string, act: () => void) => void;
  /** How the connection ended, by the server's own eyes. */
  readonly ended: Promise<"reset" | "closed">;
}

export interface RawServer {
  readonly baseUrl: string;
  readonly connections: readonly RawConnection[];
}

/** A TCP server: what it does with each connection is up to the test. */
export async function startRaw(
  onConnection: (connection: RawConnection, index: number) => void,
  scheme: "http" | "https" = "http",
): Promise<RawServer> {
  const connections: RawConnection[] = [];
  const server = createTcpServer({ noDelay: true }, (socket) => {
    const connection = watch(socket);
    connections.push(connection);
    onConnection(connection, connections.length - 1);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    for (const { socket } of connections) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { baseUrl, connections };
}

export function watch(socket: Socket): RawConnection {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    socket.emit("test:received");
  });
  const ended = new Promise<"reset" | "closed">((resolve) => {
    socket.on("error", (error) =>
      resolve("code" in error && error.code === "ECONNRESET" ? "reset" : "closed"),
    );
    socket.on("end", () => resolve("closed"));
    socket.on("close", () => resolve("closed"));
  });
  const received = async (part: string): Promise<void> => {
    while (!text.includes(part)) await once(socket, "test:received");
  };
  const when = async (part: string, act: () => void): Promise<void> => {
    await received(part);
    act();
  };
  return {
    socket,
    text: () => text,
    received,
    when: (part, act) => {
      void when(part, act);
    },
    ended,
  };
}

/** An HTTP answer as text, with its content-length unless headers say otherwise. */
export function rawAnswer(
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const all = { "content-length": String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Test\r\n${lines.join("")}\r\n${body}`;
}

export interface TestService {
  readonly service: ClosableMessageService;
  readonly answers: readonly ServiceAnswer[];
}

/**
 * A service over a clock that stands still, so that no timeout happens by itself. Closed when the test is
 * over.
 */
export function connectTo(
  baseUrl: string,
  options: Partial<Omit<MessageServiceOptions, "baseUrl">> & { readonly clock?: Clock } = {},
): TestService {
  const answers: ServiceAnswer[] = [];
  const service = createMessageService({
    baseUrl,
    token: () => testToken,
    timeoutsMs: { list: 10_000, batch: 30_000, delete: 10_000 },
    connectTimeoutMs: 5_000,
    settings: { address: "service.url", token: "service.token" },
    maxAnswerBytes: 64 * 1_048_576,
    clock: createManualClock(),
    onAnswer: (answer) => answers.push(answer),
    ...options,
  });
  onTestFinished(() => service.close());
  return { service, answers };
}
