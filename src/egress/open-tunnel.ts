/** A way through a forward proxy: CONNECT (RFC 9110 9.3.6), and then bytes as they are. */
import type { Socket } from "node:net";
import { toHostPort, type ForwardProxy } from "./proxy-for.ts";

/** The proxy makes no way to the host. Nothing was sent to it. */
export class ProxyRefusal extends Error {
  constructor(proxy: ForwardProxy, got: string) {
    super(`no way through the proxy ${toHostPort(proxy)} (proxy.url): it answered ${got} to CONNECT`);
    this.name = "ProxyRefusal";
  }
}

/** More than a proxy writes before its answer's empty line. */
const maxAnswerBytes = 16_384;
const headEnd = Buffer.from("\r\n\r\n");

/**
 * Asks for a way over a socket that is connected to the proxy. Calls back once: with null if the next bytes are the
 * target's, with a ProxyRefusal if there is no way. If the socket ends first, it does not.
 */
export function openTunnel(
  socket: Socket,
  target: { readonly hostname: string; readonly port: number },
  proxy: ForwardProxy,
  callback: (refusal: ProxyRefusal | null) => void,
): void {
  const host = toHostPort(target);
  const authorization = proxy.authorization === null ? "" : `proxy-authorization: ${proxy.authorization}\r\n`;
  let answer = Buffer.alloc(0);
  const settle = (got: string | null): void => {
    socket.off("data", onData);
    socket.pause();
    callback(got === null ? null : new ProxyRefusal(proxy, got));
  };
  const onData = (chunk: Buffer): void => {
    answer = Buffer.concat([answer, chunk]);
    const end = answer.indexOf(headEnd);
    if (end < 0) {
      if (answer.length > maxAnswerBytes) settle("a header without end");
      return;
    }
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer.toString("latin1", 0, 12))?.[1];
    // In TLS the client speaks first.
    if (status?.startsWith("2") === true)
      settle(answer.length > end + headEnd.length ? "more than a header" : null);
    else settle(status ?? "something else than HTTP/1");
  };
  socket.on("data", onData);
  socket.write(`CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n${authorization}\r\n`);
}
