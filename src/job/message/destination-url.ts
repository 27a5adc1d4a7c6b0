import type { BatchItem, DeadLetter } from "./dead-letter.ts";
import { withoutDot } from "./host-and-path.ts";
import type { DestinationRewrite } from "./item-changes.ts";
import { oncePerText } from "./once-per-text.ts";

export type UrlParts = Readonly<Pick<URL, "protocol" | "hostname" | "host" | "origin" | "pathname">>;

/** Asked up to six times for a message. A queue has some dozens of destinations, or one for each message. */
const readUrl = oncePerText(500, 1_024, (text) => {
  const url = parseUrl(text);
  const parts = url === null ? null : toParts(url);
  return { parts, isDestination: parts !== null && hasDestinationForm(text) };
});

/** Without the dot at the end of a host, so that one receiver has one lane, one pause and one limit. */
function toParts({ protocol, hostname, host, origin, pathname }: URL): UrlParts {
  const bare = withoutDot(hostname);
  if (bare === hostname) return { protocol, hostname, host, origin, pathname };
  const change = (text: string) => text.replace(hostname, () => bare);
  return { protocol, hostname: bare, host: change(host), origin: change(origin), pathname };
}

export function urlPartsOf(text: string): UrlParts | null {
  return readUrl(text).parts;
}

/**
 * True if a message can be sent to this URL: http or https, a host, no credentials. White space, control characters and
 * backslashes are refused too: URL parsers drop or reinterpret them, so two parsers would read two addresses.
 */
export function isDestination(text: string): boolean {
  return readUrl(text).isDestination;
}

function hasDestinationForm(text: string): boolean {
  const authority = /^https?:\/\/([^/?#\s\\\p{Cc}\p{Cs}]+)[^\s\\\p{Cc}\p{Cs}]*$/iu.exec(text)?.[1];
  return authority !== undefined && !authority.includes("@");
}

/** Unlike a destination it may carry credentials, which the service accepted with the original. */
export function isCallbackUrl(url: string): boolean {
  return isDestination(withoutCredentials(url));
}

export function withoutCredentials(url: string): string {
  return url.includes("@") ? url.replace(/^(https?:\/\/)[^/?#@\s]*@/i, "$1") : url;
}

/** Host in lower case, with its port unless it is the usual one; `(no host)` for a text that is no URL. */
export function hostOf(url: string): string {
  return urlPartsOf(url)?.host || "(no host)";
}

/** The origin behind an item's health: its destination's, or its queue, which a slow message delays. */
export function laneOriginOf({ destination, queue }: Pick<BatchItem, "destination" | "queue">): string {
  return queue === undefined ? (urlPartsOf(destination) ?? new URL(destination)).origin : `queue:${queue}`;
}

/** As it failed, before any rule changes it; null if its destination is no URL, or one without a host (`file:`). */
export function laneOriginOfLetter({ url, queueName }: Pick<DeadLetter, "url" | "queueName">): string | null {
  if (queueName !== undefined) return laneOriginOf({ destination: url, queue: queueName });
  const origin = urlPartsOf(url)?.origin ?? "null";
  return origin === "null" ? null : origin;
}

export function rateHostOf({ destination, queue }: Pick<BatchItem, "destination" | "queue">): string {
  return queue === undefined ? hostOf(destination) : `queue:${queue}`;
}

/** What is not replaced stays, byte for byte. `host` replaces user and port too. Null: no destination. */
export function toDestination(
  url: string,
  change: string | DestinationRewrite | undefined,
  keepsCredentials = false,
): string | null {
  const destination = typeof change === "object" ? rewritten(url, change) : (change ?? url);
  if (destination === null) return null;
  return (keepsCredentials ? isCallbackUrl : isDestination)(destination) ? destination : null;
}

function rewritten(url: string, change: DestinationRewrite): string | null {
  // The own one may have no scheme, or another: then only a rule that sets it makes an address of it.
  const parts = /^(?:([a-z][a-z0-9+.-]*):\/\/|\/\/)?([^/?#]*)([^?#]*)([^]*)$/iu.exec(url);
  if (parts === null) return null;
  const [, scheme = "", host = "", path = "", rest = ""] = parts;
  if (change.host !== undefined && !/^[^/?#@\s\\]+$/u.test(change.host)) return null;
  if (change.path !== undefined && !/^\/[^?#]*$/u.test(change.path)) return null;
  return `${change.scheme ?? scheme}://${change.host ?? host}${change.path ?? path}${rest}`;
}

/**
 * `URL.canParse` is not used: in Node 20 (seen in 20.20.2) it answers false for an address with a Latin-1
 * letter, such as `https://münchen.example`, once its caller is hot. Such messages would be parked.
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
