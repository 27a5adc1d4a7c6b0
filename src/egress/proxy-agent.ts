import { Socket } from "node:net";
import { Agent } from "undici";
import { ConnectFailure } from "./connect-failure.ts";
import { openTls } from "./open-tls.ts";
import { openTunnel } from "./open-tunnel.ts";
import type { ForwardProxy } from "./proxy-for.ts";

/** Without an answer of the proxy or a byte of TLS. Callers have deadlines of their own. */
const silentMs = 10_000;

/** Calls by https through a forward proxy, for what no ledger watches. undici's own agent asks a closing proxy for ever. */
export function createProxyAgent(proxy: ForwardProxy): Agent {
  return new Agent({
    connect({ hostname, port }, callback) {
      const tcp = new Socket();
      let isOver = false;
      const end = (error: Error | null, socket?: Socket): void => {
        if (isOver) return;
        isOver = true;
        tcp.setTimeout(0);
        if (error !== null || socket === undefined) {
          tcp.destroy();
          callback(error ?? new ConnectFailure("no socket"), null);
        } else callback(null, socket);
      };
      tcp.on("error", (error) => end(error));
      tcp.setTimeout(silentMs, () => end(new ConnectFailure(`silent for ${silentMs} ms`)));
      openTunnel(tcp, { hostname, port: Number(port === "" ? 443 : port) }, proxy, (refusal) => {
        if (refusal !== null) return end(refusal);
        tcp.once("close", () => end(new ConnectFailure("it was closed while it was made")));
        const tls = openTls(tcp, hostname);
        tls.on("error", (error) => end(error));
        tls.once("secureConnect", () => end(null, tls));
      });
    },
  });
}
