/**
 * Names under which a browser may reach the console. A page of somebody else whose name was pointed at this
 * address (DNS rebinding) sends its own name, and is refused.
 */
import { isIP } from "node:net";

/** `patterns`: host, `*.example.com` for all below it, or `*`. */
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
