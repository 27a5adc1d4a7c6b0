import type { Socket } from "node:net";
import { Client, type buildConnector } from "undici";
import { ConnectFailure, throughProxy } from "../../egress/connect-failure.ts";
import { openTls } from "../../egress/open-tls.ts";
import { openTunnel } from "../../egress/open-tunnel.ts";
import type { ForwardProxy } from "../../egress/proxy-for.ts";
import type { Clock } from "../contracts/clock.ts";
import type { AnswerHeaders } from "./http-answer.ts";
import { ResettableSocket } from "./resettable-socket.ts";

export interface ConnectionOptions {
  readonly origin: string;
  readonly clock: Clock;
  /** For name lookup, TCP, the proxy's answer and TLS together. */
  readonly connectTimeoutMs: number;
  readonly proxy?: ForwardProxy | null;
  /** PEM of certificate authorities to trust instead of the built-in ones. */
  readonly ca?: string | undefined;
}

export interface Outgoing {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: AsyncIterable<Uint8Array>;
  readonly timeoutMs: number;
}

/** Learns what becomes of a request. Either `onEnd` or `onFailure` comes last. */
export interface AnswerListener {
  onHeaders(status: number, headers: AnswerHeaders): void;
  /** The bytes are the connection's: they are valid until this returns. */
  onBytes(chunk: Uint8Array): void;
  onEnd(): void;
  onFailure(cause: unknown): void;
}

export type ServiceConnection = ReturnType<typeof createConnection>;

// The deadline of a call is ours. These of undici only end calls that a stopped clock would let hang.
const backstopMs = 10_000;
// Shorter than that of servers and load balancers, so that the other side seldom closes under a request.
const keepAliveMs = 4_000;
const keepAliveMaxMs = 30_000;
const noBytes = new Uint8Array(0);

/**
 * One connection to the service, for one call at a time. The first call makes it; it is kept between calls,
 * and made again if the service closed it. A call is sent at most once. HTTP/1.1 only: in HTTP/2 a call is a
 * stream and has no socket that could be reset.
 */
export function createConnection(options: ConnectionOptions) {
  let tcp: ResettableSocket | undefined;
  let stream: Socket | undefined;
  const client = new Client(options.origin, {
    connect: (target, callback) => {
      tcp = new ResettableSocket();
      connectSocket(tcp, target, options, (...result) => {
        if (result[0] === null) stream = result[1];
        callback(...result);
      });
    },
    pipelining: 1,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMaxMs,
  });
  return {
    /** undici's `request` makes a stream for each answer. `dispatch` hands over the bytes as they come. */
    send(outgoing: Outgoing, listener: AnswerListener): void {
      const request = {
        // Without it undici works it out for each request.
        origin: options.origin,
        method: outgoing.method,
        path: outgoing.path,
        headers: outgoing.headers,
        // undici takes async iterables; its types name only streams.
        body: (outgoing.body ?? null) as null,
        idempotent: false,
        headersTimeout: outgoing.timeoutMs + backstopMs,
        bodyTimeout: outgoing.timeoutMs + backstopMs,
      };
      client.dispatch(request, {
        // Without this method undici takes the others for those of its older interface.
        onRequestStart: () => undefined,
        onResponseStart: (_controller, status, headers) => {
          if (status >= 200) listener.onHeaders(status, headers);
        },
        onResponseData: (_controller, chunk) => listener.onBytes(chunk),
        onResponseEnd: () => listener.onEnd(),
        onResponseError: (_controller, error) => listener.onFailure(error),
      });
    },
    /** Resolves when all bytes written so far have left this process, or the socket is gone. */
    flushed: (): Promise<void> =>
      new Promise((resolve) => {
        if (stream === undefined || stream.destroyed || stream.writableLength === 0) resolve();
        else stream.write(noBytes, () => resolve());
      }),
    /** A TCP reset, for good: the kernel drops the bytes that it still holds, and delivers none later. */
    reset(): void {
      tcp?.reset();
      client.destroy().catch(() => undefined);
    },
    close: (): Promise<void> => client.destroy(),
  };
}

export class ConnectTimeout extends ConnectFailure {
  constructor(timeoutMs: number, proxy: ForwardProxy | null) {
    super(`no connection within ${timeoutMs} ms (service.connectTimeout)${throughProxy(proxy)}`);
  }
}

/** Our own TCP socket, and TLS over it: undici's connector would hide the socket that can be reset. */
function connectSocket(
  tcp: ResettableSocket,
  target: buildConnector.Options,
  { clock, connectTimeoutMs, ca, proxy = null }: ConnectionOptions,
  callback: buildConnector.Callback,
): void {
  const settled = new AbortController();
  const fail = (error: Error): void => {
    if (settled.signal.aborted) return;
    settled.abort();
    tcp.close();
    callback(error, null);
  };
  const succeed = (socket: Socket): void => {
    if (settled.signal.aborted) return;
    settled.abort();
    callback(null, socket);
  };
  const startTls = (): void => {
    const tls = openTls(tcp, target.hostname, ca);
    tcp.carry(tls);
    tls.on("error", fail);
    tls.once("secureConnect", () => succeed(tls));
  };
  clock.sleep(connectTimeoutMs, settled.signal).then(
    () => fail(new ConnectTimeout(connectTimeoutMs, proxy)),
    () => undefined,
  );
  // Node 20 ignores the noDelay of connect() if the socket exists already. Without it the last byte of a
  // batch, which is written apart, waits some 40 ms for an acknowledgement.
  tcp.setNoDelay(true);
  const isSecure = target.protocol === "https:";
  const port = Number(target.port === "" ? (isSecure ? 443 : 80) : target.port);
  const start = (): void => (isSecure ? startTls() : succeed(tcp));
  if (proxy === null) {
    tcp.once("connect", start);
    tcp.connect({ host: target.hostname, port, keepAlive: true });
  } else {
    openTunnel(tcp, { hostname: target.hostname, port }, proxy, (refusal) =>
      refusal === null ? start() : fail(refusal),
    );
  }
  // These stay for good: under TLS, undici listens to the TLS socket only. A tunnel hears first.
  tcp.on("error", fail);
  tcp.once("close", () => fail(new ConnectFailure("the connection was closed while it was made")));
}

export type ServiceConnections = ReturnType<typeof createConnections>;

/**
 * The connections of one source. The one used last is used next, so that others fall idle and close. Their
 * number is that of the calls at once, which `job/source/calls-in-turn.ts` limits.
 */
export function createConnections(make: () => ServiceConnection) {
  const idle: ServiceConnection[] = [];
  let closed = false;

  return {
    acquire: (): ServiceConnection => idle.pop() ?? make(),
    release(connection: ServiceConnection): void {
      if (closed) connection.reset();
      else idle.push(connection);
    },
    async close(): Promise<void> {
      closed = true;
      await Promise.all(idle.splice(0).map((connection) => connection.close()));
    },
  };
}
