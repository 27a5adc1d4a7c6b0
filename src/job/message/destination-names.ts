import type { BatchItem } from "./dead-letter.ts";
import { urlPartsOf } from "./destination-url.ts";
import { hostText, parseHost, slipInHost } from "./host-and-path.ts";
import { oncePerText } from "./once-per-text.ts";

/** `pay.example.com`, `…:8443`, `https://…` or `queue:<name>`. A host alone means all schemes and ports. */
export type DestinationName = string;

/** What a kind of failure is paused as, beside destinations. No host has such a name. */
export function toFailureName(id: string): DestinationName {
  return `failure:${id}`;
}

export function toFailureOfName(name: DestinationName): string | null {
  return name.startsWith("failure:") ? name.slice("failure:".length) : null;
}

/** From the narrowest: origin, host with port, host. Origins are fewer than addresses. */
const namesByOrigin = oncePerText(500, 1_024, (origin): readonly DestinationName[] => {
  const { hostname, port, protocol } = new URL(origin);
  const usual = protocol === "https:" ? "443" : "80";
  return [origin, `${hostname}:${port === "" ? usual : port}`, hostname];
});

/** Empty if it is no http(s) address. Begun messages ask for it, and their parts are mostly known. */
function namesOfUrl(text: string): readonly DestinationName[] {
  const parts = urlPartsOf(text);
  return parts !== null && /^https?:$/.test(parts.protocol) ? namesByOrigin(parts.origin) : [];
}

export function namesOfDestination({
  destination,
  queue,
}: Pick<BatchItem, "destination" | "queue">): readonly DestinationName[] {
  const names = namesOfUrl(destination);
  return queue === undefined ? names : [...names, `queue:${queue}`];
}

export function namesOfOrigin(origin: string): readonly DestinationName[] {
  return origin.startsWith("queue:") ? [origin] : namesOfUrl(origin);
}

export function toDestinationName(text: string): DestinationName | null {
  if (text.startsWith("queue:")) return text === "queue:" ? null : text;
  const [, scheme, written = ""] = /^(?:(https?):\/\/)?(.*?)\/?$/isu.exec(text) ?? [];
  const host = slipInHost(written) === null ? parseHost(written) : null;
  if (host === null) return null;
  return scheme === undefined ? hostText(host) : new URL(`${scheme}://${hostText(host)}`).origin;
}

/** True if one of the names means a part of what the other means, or the same. */
export function overlaps(one: DestinationName, other: DestinationName): boolean {
  return widerNamesOf(one).includes(other) || widerNamesOf(other).includes(one);
}

/** True if who asks for `asked` means `name` too: it is a part of that, or the same host and port. */
export function isMeantBy(name: DestinationName, asked: DestinationName): boolean {
  return widerNamesOf(name).includes(asked) || hostAndPortOf(name) === hostAndPortOf(asked);
}

function hostAndPortOf(name: DestinationName): string {
  return (name.includes("://") ? namesOfOrigin(name)[1] : undefined) ?? name;
}

function widerNamesOf(name: DestinationName): readonly DestinationName[] {
  if (name.includes("://") || name.startsWith("queue:")) return namesOfOrigin(name);
  return [name, name.replace(/:\d+$/, "")];
}
