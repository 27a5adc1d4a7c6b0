import { ProxyAgent } from "undici";
import { toHostPort, type ForwardProxy } from "./proxy-for.ts";

/** undici's own way through a forward proxy, for calls that no ledger watches. */
export function createProxyAgent(proxy: ForwardProxy): ProxyAgent {
  const uri = `http://${toHostPort(proxy)}`;
  const { authorization } = proxy;
  return new ProxyAgent({
    uri,
    proxyTunnel: true,
    ...(authorization === null ? {} : { token: authorization }),
  });
}
