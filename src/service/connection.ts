import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { Client, type buildConnector } from "undici";
import { openTunnel } from "../egress/open-tunnel.ts";
import { toHostPort, type ForwardProxy } from "../egress/proxy-for.ts";
import type { Clock } from "../ports/clock.ts";
import type { AnswerHeaders } from "./http-answer.ts";
import { ResettableSocket } from "./resettable-socket.ts";

export interface ConnectionOptions {
  readonly origin: string;
  readonly clock: Clock;
  /** For name lookup, TCP, the proxy's answer and TLS together. */
  readonly connectTimeoutMs: number;
  /** Of the origin; null: it is called directly. */
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
    /**
     * Ends the connection at once and for good with a TCP reset. So the kernel drops bytes that it still
     * holds, and delivers none later.
     */
    reset(): void {
      tcp?.reset();
      client.destroy().catch(() => undefined);
    },
    close: (): Promise<void> => client.destroy(),
  };
}

export class ConnectTimeout extends Error {
  constructor(timeoutMs: number, proxy: ForwardProxy | null) {
    const through = proxy === null ? "" : ` through the proxy ${toHostPort(proxy)} (proxy.url)`;
    super(`no connection within ${timeoutMs} ms (service.connectTimeout)${through}`);
    this.name = "ConnectTimeout";
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
    const tls = connectTls({
      socket: tcp,
      host: target.hostname,
      // A server name must not be an address (RFC 6066 3).
      servername: isIP(target.hostname) === 0 ? target.hostname : "",
      ALPNProtocols: ["http/1.1"],
      ...(ca === undefined ? {} : { ca }),
    });
    tcp.carry(tls);
    tls.on("error", fail);
    tls.once("secureConnect", () => succeed(tls));
  };
  // Stays for good: under TLS, undici listens to the TLS socket only.
  tcp.on("error", fail);
  tcp.once("close", () => fail(new Error("the connection was closed while it was made")));
  clock.sleep(connectTimeoutMs, settled.signal).then(
    () => fail(new ConnectTimeout(connectTimeoutMs, proxy)),
    () => undefined,
  );
  const isSecure = target.protocol === "https:";
  const port = Number(target.port === "" ? (isSecure ? 443 : 80) : target.port);
  const start = (): void => (isSecure ? startTls() : succeed(tcp));
  tcp.once("connect", () => {
    if (proxy === null) return start();
    openTunnel(tcp, { hostname: target.hostname, port }, proxy, (refusal) =>
      refusal === null ? start() : fail(refusal),
    );
  });
  // Node 20 ignores the noDelay of connect() if the socket exists already. Without it the last byte of a
  // batch, which is written apart, waits some 40 ms for an acknowledgement.
  tcp.setNoDelay(true);
  tcp.connect({
    ...(proxy === null ? { host: target.hostname, port } : { host: proxy.hostname, port: proxy.port }),
    keepAlive: true,
  });
}
