/**
 * One spelling of hosts and paths, for what rules ask for, what they set, and what people pause or allow. A host is
 * spelled as URLs have it (WHATWG): in lower case, in ASCII, an IPv6 address short and in brackets; and without the
 * dot at its end, which names the same host.
 */
import { isIPv6 } from "node:net";
import { domainToUnicode } from "node:url";
import { oncePerText } from "./once-per-text.ts";

export interface Host {
  readonly hostname: string;
  /** As written, also if it is the usual one; empty if there is none. */
  readonly port: string;
}

export function parseHost(text: string): Host | null {
  const [, name = "", port = ""] = /^(.+?)(?::(\d{1,5}))?$/u.exec(isIPv6(text) ? `[${text}]` : text) ?? [];
  if (/[\p{White_Space}/?#@\\*\p{Cc}\p{Cs}]/u.test(name) || Number(port) > 65_535) return null;
  const hostname = withoutDot(toHostname(name));
  return /^\.*$/.test(hostname) ? null : { hostname, port: port === "" ? "" : String(Number(port)) };
}

export function hostText({ hostname, port }: Host): string {
  return port === "" ? hostname : `${hostname}:${port}`;
}

function toHostname(name: string): string {
  try {
    const { hostname, pathname } = new URL(`http://${name}`);
    return pathname === "/" ? hostname : "";
  } catch {
    return "";
  }
}

/** `example.com.` is `example.com`. A host of dots alone stays. */
export function withoutDot(hostname: string): string {
  return hostname.endsWith(".") ? hostname.replace(/(?<=[^.])\.+$/, "") : hostname;
}

/** Why a host that is written like this is a slip, though a URL may have it. `equals` asks for it all the same. */
export function slipInHost(text: string): string | null {
  if (hasPlaceholder(text)) return "nothing fills in a placeholder";
  if (text.startsWith(".")) return "no host begins with a dot";
  if (/[‐-―−‘’“”«»„‚‹›]/u.test(text)) return "no host has a typographic sign";
  return /[!"$&'()+,;<=>^`{|}~]/.test(text) ? "no host has such a sign" : null;
}

/** `${HOST}`, `$(HOST)`, `{{ host }}`: left over from a template. */
export function hasPlaceholder(text: string): boolean {
  return /\$\{[^}]*\}|\$\([A-Za-z_]\w*\)|\{\{.*?\}\}|<%.*?%>/su.test(text);
}

/** A host in the forms by which patterns know it, the port in each or in none. */
export interface HostForms {
  readonly hostname: string;
  /** Its port, also the usual one of its scheme. */
  readonly port: string;
  /** Without a port; with one that is not the usual one; both also as people read it: in Unicode, IPv6 bare. */
  readonly written: readonly string[];
}

export const hostFormsOf = oncePerText(500, 1_024, (origin): HostForms => {
  const { protocol, hostname, port } = new URL(origin);
  const names = [hostname, ...(hostname.includes("xn--") ? [domainToUnicode(hostname)] : [])];
  if (hostname.startsWith("[")) names.push(hostname.slice(1, -1));
  const written = port === "" ? names : [...names, ...names.slice(0, 2).map((name) => `${name}:${port}`)];
  return { hostname, port: port === "" ? (protocol === "https:" ? "443" : "80") : port, written };
});

/** What RFC 3986 lets stand in a path as it is. */
const plainPath = /^[\w\-.~!$&'()*+,;=:@/]*$/;
const pathSign = /%([\da-f]{2})|[^\w\-.~!$&'()*+,;=:@/%]/giu;

/** A path, or a part of one, in one spelling (RFC 3986, 6.2.2): `/café`, `/caf%c3%a9` and `/caf%C3%A9` are one. */
export function spellPath(path: string): string {
  if (plainPath.test(path)) return path;
  return path.replaceAll(pathSign, (sign: string, hex: string | undefined) => {
    if (hex === undefined) return encodeURIComponent(/\p{Surrogate}/u.test(sign) ? "\ufffd" : sign);
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[\w\-.~]/.test(character) ? character : sign.toUpperCase();
  });
}
