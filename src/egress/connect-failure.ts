import { toHostPort, type ForwardProxy } from "./proxy-for.ts";

/** No connection was made, for a reason of ours to tell: its message has no address but a proxy's. */
export class ConnectFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The proxy makes no way to the host. Nothing was sent to it. */
export class ProxyRefusal extends ConnectFailure {
  readonly why: string;

  constructor(proxy: ForwardProxy, why: string, options?: ErrorOptions) {
    super(`no way${throughProxy(proxy)}: ${why}`, options);
    this.why = why;
  }
}

/** Behind what a call met: ` through the proxy …`, never with credentials. Empty if it was direct. */
export function throughProxy(proxy: ForwardProxy | null): string {
  return proxy === null ? "" : ` through the proxy ${toHostPort(proxy)} (proxy.url)`;
}

/** Why a call has no answer, behind a place that names a proxy. Addresses and values stay in `error`. */
export function describeConnectionFailure(error: unknown): string {
  // `fetch` wraps what it met.
  const cause = error instanceof TypeError ? error.cause : error;
  if (cause instanceof ProxyRefusal) return `no way: ${cause.why}`;
  const what = cause instanceof ConnectFailure ? cause.message : codeOf(cause);
  return `the connection failed${what === undefined ? "" : ` (${what})`}`;
}

/** Such as ECONNREFUSED. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
