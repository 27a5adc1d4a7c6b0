/** Checks before anybody is asked who they are: the headers of every answer, the host's name, the page that asks. */
import type { MiddlewareHandler } from "hono";
import { addressOf, type AskedEnv } from "../asked.ts";
import { toPublicPath } from "../paths.ts";
import { createHostCheck } from "./host-names.ts";
import { createProxyCheck } from "./proxies.ts";
import { isOfOwnPage } from "./request-origin.ts";
import { styleHash } from "../styles.ts";

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

/** `hosts`: console.hosts. */
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
    const isPage = (req.method === "GET" || req.method === "HEAD") && req.path !== "/live";
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
