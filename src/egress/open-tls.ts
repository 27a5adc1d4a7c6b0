import { isIP, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";

/** TLS over a socket that leads to the host. `ca`: PEM of authorities to trust instead of the built-in ones. */
export function openTls(socket: Socket, hostname: string, ca?: string): TLSSocket {
  return connect({
    socket,
    host: hostname,
    // A server name must not be an address (RFC 6066 3).
    servername: isIP(hostname) === 0 ? hostname : "",
    ALPNProtocols: ["http/1.1"],
    ...(ca === undefined ? {} : { ca }),
  });
}
