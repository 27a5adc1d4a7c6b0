/** Checks before anybody is asked who they are: the headers of every answer, the host's name, the page that asks. */
import type { MiddlewareHandler } from "hono";
import type { AskedEnv } from "../asked.ts";
import { createHostCheck } from "./host-names.ts";
import { isOfOwnPage } from "./request-origin.ts";
import { securityHeaders } from "./security-headers.ts";

export const addSecurityHeaders: MiddlewareHandler<AskedEnv> = async (context, next) => {
  await next();
  for (const [name, value] of Object.entries(securityHeaders)) {
    if (!context.res.headers.has(name)) context.res.headers.set(name, value);
  }
};

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

/** Pages may be reached by a link from anywhere. What changes something, or goes on and on, may not. */
export const refuseOtherPages: MiddlewareHandler<AskedEnv> = async (context, next) => {
  const { req } = context;
  const told = {
    host: req.header("host"),
    origin: req.header("origin"),
    site: req.header("sec-fetch-site"),
  };
  const isPage = (req.method === "GET" || req.method === "HEAD") && req.path !== "/live";
  if (isPage || isOfOwnPage(told)) return next();
  return context.text("redriver: expected a request by a page of this console\n", 403);
};
