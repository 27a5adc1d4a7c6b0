/** A way through a forward proxy: CONNECT (RFC 9110 9.3.6), and then bytes as they are. */
import type { Socket } from "node:net";
import { codeOf, ProxyRefusal } from "./connect-failure.ts";
import { toHostPort, type ForwardProxy } from "./proxy-for.ts";

/** More than a proxy writes before its answer's empty line. */
const maxAnswerBytes = 16_384;
const headEnd = Buffer.from("\r\n\r\n");

/** Calls back once: with null if the next bytes are the target's, with a ProxyRefusal if there is no way. */
export function openTunnel(
  socket: Socket,
  target: { readonly hostname: string; readonly port: number },
  proxy: ForwardProxy,
  callback: (refusal: ProxyRefusal | null) => void,
): void {
  const host = toHostPort(target);
  const authorization = proxy.authorization === null ? "" : `proxy-authorization: ${proxy.authorization}\r\n`;
  let answer = Buffer.alloc(0);
  const settle = (why: string | null, cause?: unknown): void => {
    socket.off("data", onData).off("error", onError).off("end", onEnd).off("close", onEnd);
    socket.pause();
    callback(why === null ? null : new ProxyRefusal(proxy, why, { cause }));
  };
  const onError = (error: Error): void => settle(codeOf(error) ?? error.name, error);
  const onEnd = (): void => settle("it closed the connection before it answered CONNECT");
  const onData = (chunk: Buffer): void => {
    answer = Buffer.concat([answer, chunk]);
    const end = answer.indexOf(headEnd);
    if (end < 0) {
      if (answer.length > maxAnswerBytes) settle("it answered a header without end to CONNECT");
      return;
    }
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer.toString("latin1", 0, 12))?.[1];
    // In TLS the client speaks first.
    const isMore = answer.length > end + headEnd.length;
    if (status?.startsWith("2") === true && !isMore) settle(null);
    else settle(`it answered ${toGot(status)} to CONNECT`);
  };
  socket.on("data", onData).once("error", onError).once("end", onEnd).once("close", onEnd);
  socket.once("connect", () =>
    socket.write(`CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n${authorization}\r\n`),
  );
  socket.connect({ host: proxy.hostname, port: proxy.port, keepAlive: true });
}

function toGot(status: string | undefined): string {
  if (status === undefined) return "something else than HTTP/1";
  return status.startsWith("2") ? "more than a header" : status;
}
