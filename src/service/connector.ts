import { isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { buildConnector } from "undici";
import type { Clock } from "../ports/clock.ts";
import { ResettableSocket } from "./resettable-socket.ts";

export interface ConnectorOptions {
  readonly clock: Clock;
  /** For name lookup, TCP and TLS together, in ms. */
  readonly timeoutMs: number;
  /** PEM of certificate authorities to trust instead of the built-in ones. */
  readonly ca?: string;
  /** Called with every raw TCP socket when it is made. */
  readonly onSocket: (tcp: ResettableSocket) => void;
}

/**
 * How connections are made: our own TCP socket, and TLS over it. undici's connector would hide the TCP socket
 * under TLS, and only that one can be reset. HTTP/1.1 only: in HTTP/2 a call is a stream and has no socket of
 * its own.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  return (target, callback) => {
    const tcp = new ResettableSocket();
    options.onSocket(tcp);
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
    // Stays for good: under TLS, undici listens to the TLS socket only.
    tcp.on("error", fail);
    tcp.once("close", () => fail(new Error("the connection was closed while it was made")));
    options.clock.sleep(options.timeoutMs, settled.signal).then(
      () => fail(new ConnectTimeout(options.timeoutMs)),
      () => undefined,
    );
    const secure = target.protocol === "https:";
    tcp.once("connect", () => {
      if (secure) startTls(tcp, target, options.ca, succeed, fail);
      else succeed(tcp);
    });
    const port = Number(target.port === "" ? (secure ? 443 : 80) : target.port);
    // Node 20 ignores the noDelay of connect() if the socket exists already. Without it the last byte of a
    // batch, which is written apart, waits some 40 ms for an acknowledgement.
    tcp.setNoDelay(true);
    tcp.connect({ host: target.hostname, port, keepAlive: true });
  };
}

export class ConnectTimeout extends Error {
  constructor(timeoutMs: number) {
    super(`no connection within ${timeoutMs} ms (service.connectTimeout)`);
    this.name = "ConnectTimeout";
  }
}

function startTls(
  tcp: ResettableSocket,
  target: buildConnector.Options,
  ca: string | undefined,
  succeed: (socket: Socket) => void,
  fail: (error: Error) => void,
): void {
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
}
