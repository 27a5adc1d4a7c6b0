import { Refusal } from "../refusal.ts";
import { parseDurationMs } from "./durations.ts";
import { parseFlowControl, parseRedaction } from "./header-values.ts";
import { canonicalName, isHeaderName, isHeaderValue } from "./header-names.ts";
import { emptyHeaderMap, type CallbackTarget, type HeaderMap, type MessageSettings } from "./message.ts";
import { parseRetryDelay } from "./retry-delay.ts";

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);
const defaultRetries = 3;

/** Set by the connection that delivers, so a forwarded value would only contradict it. */
const notForwarded: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Reads one item's headers. Names are case-insensitive; of two that differ only in case the later wins.
 * Unknown `<P>…` settings and headers without the prefix (other than Content-Type) are ignored, as the service does.
 * Refuses with 400 what has a meaning here and a value that does not.
 */
export function parseMessageHeaders(
  headers: Readonly<Record<string, string>>,
  prefix: string,
): MessageSettings {
  const lowerPrefix = prefix.toLowerCase();
  const settings = new Map<string, string>();
  const header: HeaderMap = emptyHeaderMap();
  const callbackHeader: HeaderMap = emptyHeaderMap();
  const failureCallbackHeader: HeaderMap = emptyHeaderMap();
  const forwards: readonly (readonly [string, HeaderMap])[] = [
    ["forward-", header],
    ["callback-forward-", callbackHeader],
    ["failure-callback-forward-", failureCallbackHeader],
  ];

  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderName(name)) throw new Refusal(400, `invalid header name: ${JSON.stringify(name)}`);
    if (!isHeaderValue(value)) throw new Refusal(400, `invalid value of header ${name}`);
    const lower = name.toLowerCase();
    if (lower === "content-type") header["Content-Type"] ??= [value];
    if (!lower.startsWith(lowerPrefix)) continue;
    const setting = lower.slice(lowerPrefix.length);
    const forward = forwards.find(([start]) => setting.startsWith(start) && setting.length > start.length);
    if (forward === undefined) settings.set(setting, value);
    else addForwarded(forward[1], setting.slice(forward[0].length), value);
  }

  const read = (name: string): string | undefined => settings.get(name)?.trim() || undefined;
  return {
    method: parseMethod(read("method")),
    header,
    maxRetries: parseCount("Retries", read("retries")) ?? defaultRetries,
    retryDelay: parsed("Retry-Delay", read("retry-delay"), parseRetryDelay),
    delayMs: parsed("Delay", read("delay"), parseDurationMs),
    notBeforeSeconds: parseCount("Not-Before", read("not-before")),
    timeoutMs: parsed("Timeout", read("timeout"), parseDurationMs),
    callback: parseCallback("Callback", read("callback"), callbackHeader),
    failureCallback: parseCallback("Failure-Callback", read("failure-callback"), failureCallbackHeader),
    labels: (read("label") ?? "").split(",").flatMap((label) => label.trim() || []),
    flowControl: parseFlowControl(read("flow-control-key"), read("flow-control-value")),
    deduplicationId: parseDeduplicationId(read("deduplication-id")),
    contentBasedDeduplication: read("content-based-deduplication")?.toLowerCase() === "true",
    redaction: parseRedaction(read("redact-fields")),
  };
}

function addForwarded(into: HeaderMap, name: string, value: string): void {
  if (!notForwarded.has(name)) into[canonicalName(name)] = [value];
}

function parseMethod(text: string | undefined): string {
  const method = (text ?? "POST").toUpperCase();
  if (!methods.has(method)) throw new Refusal(400, `invalid method: ${text}`);
  return method;
}

function parseCount(name: string, text: string | undefined): number | undefined {
  return parsed(name, text, (value) => (/^\d{1,15}$/.test(value) ? Number(value) : undefined));
}

function parsed<T>(
  name: string,
  text: string | undefined,
  parse: (text: string) => T | undefined,
): T | undefined {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined) throw new Refusal(400, `invalid ${name}: ${text}`);
  return value;
}

function parseCallback(name: string, url: string | undefined, header: HeaderMap): CallbackTarget | undefined {
  if (url === undefined) return undefined;
  if (!isEndpointUrl(url)) throw new Refusal(400, `invalid ${name} url: ${url}`);
  return { url, header };
}

/** Charset and the wording about the colon are the service's own. */
function parseDeduplicationId(id: string | undefined): string | undefined {
  if (id === undefined || /^[A-Za-z0-9_-]+$/.test(id)) return id;
  if (id.includes(":")) throw new Refusal(400, "DeduplicationId cannot contain ':'");
  throw new Refusal(400, "DeduplicationId can only contain letters, digits, '_' and '-'");
}

export function isEndpointUrl(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
