/** Which calls to other hosts go through a forward proxy. Pure. */
import { isIP } from "node:net";
import { createRangeMatcher } from "../address-ranges.ts";

export interface EgressConfig {
  /** Of the forward proxy, as `parseProxyUrl` answers it; absent: none. */
  readonly url: string | undefined;
  /** Hosts that are called directly, as in NO_PROXY. */
  readonly except: readonly string[];
}

export interface ForwardProxy {
  readonly hostname: string;
  readonly port: number;
  readonly authorization: string | null;
}

/** Null: it is called directly, as any address without TLS: a proxy would read the token. */
export function proxyFor(target: URL, { url, except }: EgressConfig): ForwardProxy | null {
  if (url === undefined || target.protocol !== "https:") return null;
  const host = toPlainHost(target.hostname);
  const port = target.port === "" ? "443" : target.port;
  if (except.some((entry) => names(entry, host, port))) return null;
  const proxy = new URL(url);
  return {
    hostname: toPlainHost(proxy.hostname),
    port: proxy.port === "" ? 80 : Number(proxy.port),
    authorization: toAuthorization(proxy),
  };
}

export function toHostPort({ hostname, port }: { readonly hostname: string; readonly port: number }): string {
  return `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`;
}

function toPlainHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1");
}

function toAuthorization({ username, password }: URL): string | null {
  if (username === "" && password === "") return null;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair, "utf8").toString("base64")}`;
}

/**
 * `*` names every host; `example.com`, `.example.com` and `*.example.com` name it and all below it; an address or
 * a range (`10.0.0.0/8`) names addresses. A port after it narrows it.
 */
function names(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return createRangeMatcher([entry])(host);
  const [, name = entry, ownPort] = isIP(entry) === 6 ? [] : (/^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? []);
  if (ownPort !== undefined && ownPort !== port) return false;
  const suffix = name.replace(/^\*?\./, "").toLowerCase();
  return suffix !== "" && (host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`)));
}
