/** Checks before anybody is asked who they are: the headers of every answer, the host's name, the page that asks. */
import type { MiddlewareHandler } from "hono";
import { addressOf, type AskedEnv } from "../asked.ts";
import { livePath, toPublicPath } from "../paths.ts";
import { styleHash } from "../assets.ts";
import { isIP } from "node:net";
import { createRangeMatcher } from "../../../address-ranges.ts";

export const addSecurityHeaders: MiddlewareHandler<AskedEnv> = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(securityHeaders)) {
    if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  }
};

/** `base`: console.basePath. Inside nobody knows of it. */
export function addBasePath(base: string): MiddlewareHandler<AskedEnv> {
  return async (context, next) => {
    context.set("base", base);
    await next();
    const location = context.res.headers.get("location");
    if (location !== null) context.res.headers.set("location", toPublicPath(base, location));
  };
}

export function refuseOtherHosts(hosts: readonly string[]): MiddlewareHandler<AskedEnv> {
  const isOwnHost = createHostCheck(hosts);
  return async (context, next) => {
    if (isOwnHost(context.req.header("host"))) return next();
    return context.text(
      "redriver: expected a loopback name, or a name of console.hosts (REDRIVER_CONSOLE_HOSTS)\n",
      421,
    );
  };
}

/**
 * Pages may be reached by a link from anywhere. What changes something, or goes on and on, may not. `proxies`:
 * console.proxies.
 */
export function refuseOtherPages(proxies: readonly string[]): MiddlewareHandler<AskedEnv> {
  const isProxy = createProxyCheck(proxies);
  return async (context, next) => {
    const { req } = context;
    const told = {
      host: req.header("host"),
      origin: req.header("origin"),
      site: req.header("sec-fetch-site"),
      // That it came by http proves nothing: another proxy before this one may have ended TLS.
      isHttps: req.header("x-forwarded-proto")?.toLowerCase() === "https" && isProxy(addressOf(context)),
    };
    const isPage = (req.method === "GET" || req.method === "HEAD") && !req.path.startsWith(`${livePath}/`);
    if (isPage || isOfOwnPage(told)) return next();
    return context.text("redriver: expected a request by a page of this console\n", 403);
  };
}

/** For every answer: no inline code, no style but our own one, nothing loaded from elsewhere, no frame, nothing kept. */
const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styleHash}`,
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  // Not no-referrer: a form would then say `Origin: null`.
  "referrer-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
  "cache-control": "no-store",
};

/**
 * A page of somebody else whose name was pointed at this address (DNS rebinding) sends its own name. `patterns`: host,
 * `*.example.com` for all below it, or `*`.
 */
export function createHostCheck(patterns: readonly string[]): (host: string | undefined) => boolean {
  return (host) => {
    const name = toName(host);
    return name !== null && (isLoopbackName(name) || patterns.some((pattern) => fits(pattern, name)));
  };
}

/** Without port and brackets, in lower case; null: no host. */
function toName(host: string | undefined): string | null {
  const match = /^(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9._-]{1,253}))(?::\d{1,5})?$/i.exec(host ?? "");
  return (match?.[1] ?? match?.[2])?.toLowerCase() ?? null;
}

function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}

function fits(pattern: string, name: string): boolean {
  return pattern === "*" || pattern === name || (pattern.startsWith("*.") && name.endsWith(pattern.slice(1)));
}

interface AskingPage {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** Sec-Fetch-Site. */
  readonly site: string | undefined;
  /** True: a proxy of ours says that the browser came by https. The console itself speaks http alone. */
  readonly isHttps: boolean;
}

/**
 * False if a browser says that a page of somebody else made the request. Programs say nothing.
 *
 * Host says no scheme, and somebody on the way may answer for this host by http. A browser compares schemes
 * for Sec-Fetch-Site, so both have to agree.
 */
export function isOfOwnPage({ host, origin, site, isHttps }: AskingPage): boolean {
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  if (origin === undefined) return true;
  const [, scheme, name] = /^(https?):\/\/([^/]+)$/.exec(origin.toLowerCase()) ?? [];
  return name !== undefined && name === host?.toLowerCase() && (scheme === "https" || !isHttps);
}

/** Who may say in headers who asks, and by which scheme. `ranges`: addresses, or such as 10.0.0.0/8. */
export function createProxyCheck(ranges: readonly string[]): (address: string) => boolean {
  const isProxy = createRangeMatcher(ranges);
  // As Node names an IPv4 peer of an IPv6 socket, and one of this link.
  return (address) => isProxy(address.replace(/^::ffff:/i, "").replace(/%.*$/, ""));
}
