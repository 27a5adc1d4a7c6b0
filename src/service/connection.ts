import type { Socket } from "node:net";
import { Client, type buildConnector } from "undici";
import type { Clock } from "../ports/clock.ts";
import type { AnswerHeaders } from "./answer.ts";
import { createConnector } from "./connector.ts";
import type { ResettableSocket } from "./resettable-socket.ts";

export interface ConnectionOptions {
  readonly origin: string;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly ca?: string;
}

export interface Outgoing {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array>;
  readonly timeoutMs: number;
}

export interface Incoming {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * One connection to the service, for one call at a time. The first call makes it; it is kept between calls,
 * and made again if the service closed it. A call is sent at most once.
 */
export interface ServiceConnection {
  send(outgoing: Outgoing): Promise<Incoming>;
  /** Resolves when all bytes written so far have left this process, or the socket is gone. */
  flushed(): Promise<void>;
  /**
   * Ends the connection at once and for good with a TCP reset, so that bytes which the kernel still holds are
   * dropped and not delivered later.
   */
  reset(): void;
  close(): Promise<void>;
}

// The deadline of a call is ours. These of undici only end calls that a stopped clock would let hang.
const backstopMs = 10_000;
// Shorter than that of servers and load balancers, so that the other side seldom closes under a request.
const keepAliveMs = 4_000;
const keepAliveMaxMs = 30_000;
const noBytes = new Uint8Array(0);

export function createConnection(options: ConnectionOptions): ServiceConnection {
  let tcp: ResettableSocket | undefined;
  let stream: Socket | undefined;
  const connect = createConnector({
    clock: options.clock,
    timeoutMs: options.connectTimeoutMs,
    ...(options.ca === undefined ? {} : { ca: options.ca }),
    onSocket: (socket) => {
      tcp = socket;
    },
  });
  const client = new Client(options.origin, {
    connect: (target, callback) =>
      connect(target, (...result: Parameters<buildConnector.Callback>) => {
        if (result[0] === null) stream = result[1];
        callback(...result);
      }),
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMaxMs,
  });
  return {
    async send(outgoing) {
      const { statusCode, headers, body } = await client.request({
        method: outgoing.method,
        path: outgoing.path,
        headers: outgoing.headers,
        // undici takes async iterables; its types name only streams.
        body: (outgoing.body ?? null) as null,
        idempotent: false,
        headersTimeout: outgoing.timeoutMs + backstopMs,
        bodyTimeout: outgoing.timeoutMs + backstopMs,
      });
      // An abandoned body fails when its socket is reset, without a listener.
      body.on("error", () => undefined);
      return { status: statusCode, headers, body };
    },
    flushed: () =>
      new Promise((resolve) => {
        if (stream === undefined || stream.destroyed || stream.writableLength === 0) resolve();
        else stream.write(noBytes, () => resolve());
      }),
    reset() {
      tcp?.reset();
      client.destroy().catch(() => undefined);
    },
    close: () => client.destroy(),
  };
}
