import { EmulatorRefusal } from "../refusal.ts";
import {
  canonicalName,
  isHeaderName,
  isHeaderValue,
  parseDurationMs,
  parseFlowControl,
  parseRedaction,
} from "./header-values.ts";
import { emptyHeaderMap, type CallbackTarget, type HeaderMap, type MessageSettings } from "./message.ts";
import { parseRetryDelay } from "./retry-delay.ts";

const methods: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

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

/** What a message asks for that says nothing. */
export const plainSettings: MessageSettings = {
  method: "POST",
  header: emptyHeaderMap(),
  maxRetries: 3,
  labels: [],
  contentBasedDeduplication: false,
};

/** By name in any case; a name that came several times has several values. */
export type GivenHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Reads the headers of one message. What they do not say is as in `base`; forwarded headers are added to its
 * own. Names are case-insensitive; of two that differ only in case the later wins, and
 * `<P>Forward-Content-Type` wins over `Content-Type`. Unknown `<P>…` settings and headers without the prefix
 * are ignored, as the service does. Refuses with 400 what has a meaning here and a value that does not.
 */
export function parseMessageHeaders(
  headers: GivenHeaders,
  prefix: string,
  base: MessageSettings = plainSettings,
): MessageSettings {
  const lowerPrefix = prefix.toLowerCase();
  const settings = new Map<string, string>();
  const contentType: HeaderMap = emptyHeaderMap();
  const header: HeaderMap = emptyHeaderMap();
  const callbackHeader: HeaderMap = emptyHeaderMap();
  const failureCallbackHeader: HeaderMap = emptyHeaderMap();
  const forwards: readonly (readonly [string, HeaderMap])[] = [
    ["forward-", header],
    ["callback-forward-", callbackHeader],
    ["failure-callback-forward-", failureCallbackHeader],
  ];

  for (const [name, given] of Object.entries(headers)) {
    if (given === undefined) continue;
    const values = typeof given === "string" ? [given] : [...given];
    if (!isHeaderName(name)) throw new EmulatorRefusal(400, `invalid header name: ${JSON.stringify(name)}`);
    if (!values.every((value) => isHeaderValue(value))) {
      throw new EmulatorRefusal(400, `invalid value of header ${name}`);
    }
    const lower = name.toLowerCase();
    if (lower === "content-type") contentType["Content-Type"] = values;
    if (!lower.startsWith(lowerPrefix)) continue;
    const setting = lower.slice(lowerPrefix.length);
    const forward = forwards.find(([start]) => setting.startsWith(start) && setting.length > start.length);
    if (forward === undefined) {
      settings.set(setting, values.join(", "));
      continue;
    }
    const [start, into] = forward;
    const carried = setting.slice(start.length);
    if (isForwarded(carried)) into[canonicalName(carried)] = values;
  }

  const read = (name: string): string | undefined => settings.get(name)?.trim() || undefined;
  return {
    method: parsed("method", read("method"), parseMethod) ?? base.method,
    header: merged(base.header, contentType, header),
    maxRetries: parseCount("Retries", read("retries")) ?? base.maxRetries,
    retryDelay: parsed("Retry-Delay", read("retry-delay"), parseRetryDelay) ?? base.retryDelay,
    delayMs: parsed("Delay", read("delay"), parseDurationMs) ?? base.delayMs,
    notBeforeSeconds: parseCount("Not-Before", read("not-before")) ?? base.notBeforeSeconds,
    timeoutMs: parsed("Timeout", read("timeout"), parseDurationMs) ?? base.timeoutMs,
    callback: parseCallback("Callback", read("callback"), callbackHeader, base.callback),
    failureCallback: parseCallback(
      "Failure-Callback",
      read("failure-callback"),
      failureCallbackHeader,
      base.failureCallback,
    ),
    labels:
      read("label")
        ?.split(",")
        .flatMap((label) => label.trim() || []) ?? base.labels,
    scheduleId: read("schedule-id") ?? base.scheduleId,
    flowControl: parseFlowControl(read("flow-control-key"), read("flow-control-value")) ?? base.flowControl,
    deduplicationId: parseDeduplicationId(read("deduplication-id")) ?? base.deduplicationId,
    contentBasedDeduplication:
      read("content-based-deduplication")?.toLowerCase() === "true" || base.contentBasedDeduplication,
    redaction: parseRedaction(read("redact-fields")) ?? base.redaction,
  };
}

const merged = (...maps: readonly HeaderMap[]): HeaderMap =>
  Object.assign(emptyHeaderMap(), ...maps) as HeaderMap;

/** Whether a message can carry a header of this name to its destination. */
export const isForwarded = (name: string): boolean => !notForwarded.has(name.toLowerCase());

function parseMethod(text: string): string | undefined {
  const method = text.toUpperCase();
  return methods.has(method) ? method : undefined;
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
  if (value === undefined) throw new EmulatorRefusal(400, `invalid ${name}: ${text}`);
  return value;
}

/** Headers given without a URL are added to those of the callback there is. */
function parseCallback(
  name: string,
  given: string | undefined,
  header: HeaderMap,
  base: CallbackTarget | undefined,
): CallbackTarget | undefined {
  const url = given ?? base?.url;
  if (url === undefined) return undefined;
  if (given !== undefined && !isEndpointUrl(given))
    throw new EmulatorRefusal(400, `invalid ${name} url: ${given}`);
  return { ...base, url, header: merged(base?.header ?? emptyHeaderMap(), header) };
}

/** Charset and the wording about the colon are the service's own. */
function parseDeduplicationId(id: string | undefined): string | undefined {
  if (id === undefined || /^[A-Za-z0-9_-]+$/.test(id)) return id;
  if (id.includes(":")) throw new EmulatorRefusal(400, "DeduplicationId cannot contain ':'");
  throw new EmulatorRefusal(400, "DeduplicationId can only contain letters, digits, '_' and '-'");
}

export function isEndpointUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text)) return false;
  try {
    return new URL(text).host !== "";
  } catch {
    return false;
  }
}
