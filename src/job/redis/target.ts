import { RedriverError } from "../contracts/errors.ts";
import type { RedisTarget } from "../contracts/redis-target.ts";

export type RedisTopology = "standalone" | "sentinel" | "cluster";

export function toTopology({ sentinel, cluster }: RedisTarget): RedisTopology {
  if (sentinel !== undefined) return "sentinel";
  return cluster === undefined ? "standalone" : "cluster";
}

/** Safe to print: hosts and ports, and the master's name. */
export function toAddress({ url, sentinel, cluster }: RedisTarget): string {
  if (sentinel !== undefined) return `${sentinel.name} of the Sentinels ${sentinel.nodes.join(", ")}`;
  if (parse(url) === null) return "an unreadable redis.url";
  const { host, port } = toNode(url);
  if (cluster === undefined) return `${bracketed(host)}:${port}`;
  return `the cluster of ${[`${bracketed(host)}:${port}`, ...cluster].join(", ")}`;
}

/** Empty if there is none. */
export function toLogin({ url }: RedisTarget): { readonly user: string; readonly password: string } {
  const { username, password, searchParams } = new URL(url);
  // Some tools write them into the query.
  return {
    user: decodeURIComponent(username) || (searchParams.get("username") ?? ""),
    password: decodeURIComponent(password) || (searchParams.get("password") ?? ""),
  };
}

export function toDatabase({ url }: RedisTarget): number {
  return Number(new URL(url).pathname.slice(1));
}

/** `host:port` or a URL → host without brackets, and port. Fails with `settings-invalid`. */
export function toNode(
  address: string,
  defaultPort = 6379,
): { readonly host: string; readonly port: number } {
  const url = parse(address.includes("://") ? address : `redis://${address}`);
  if (url === null) {
    throw new RedriverError("settings-invalid", "expected host:port of a Redis, got something else");
  }
  const { hostname, port } = url;
  return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? defaultPort : Number(port) };
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function parse(url: string): URL | null {
  return URL.canParse(url) ? new URL(url) : null;
}
