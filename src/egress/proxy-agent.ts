import { isIP } from "node:net";
import { ProxyAgent } from "undici";
import type { ForwardProxy } from "./proxy-for.ts";

/** undici's own way through a forward proxy, for calls that no ledger watches. */
export function createProxyAgent({ hostname, port, authorization }: ForwardProxy): ProxyAgent {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  const uri = `http://${host}:${port}`;
  return new ProxyAgent({
    uri,
    proxyTunnel: true,
    ...(authorization === null ? {} : { token: authorization }),
  });
}
