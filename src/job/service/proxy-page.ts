/** The text of a body that may be a proxy's page, by its size and a known phrase: the page may repeat its input. */
export function describePage(text: string, byteLength: number): string {
  const lower = text.replace(/\s+/g, " ").toLowerCase();
  const phrase = pagePhrases.find((one) => lower.includes(one));
  const what = `${/<html|<!doctype/i.test(text) ? "a page" : "a text"} of ${byteLength} bytes`;
  return phrase === undefined ? `${what}, not repeated here` : `${what} that says "${phrase}"`;
}

/** Phrases of servers and proxies that answer instead of the service, in lower case; the most specific first. */
const pagePhrases = [
  "upstream connect error or disconnect/reset before headers",
  "no server is available to handle this request",
  "no healthy upstream",
  "no available server",
  "upstream request timeout",
  "application failed to respond",
  "web server is down",
  "origin is unreachable",
  "ssl handshake failed",
  "dns resolution",
  "backend fetch failed",
  "connection timed out",
  "stream timeout",
  "maintenance",
  "default backend",
  "internal server error",
  "bad gateway",
  "service temporarily unavailable",
  "service unavailable",
  "gateway time-out",
  "gateway timeout",
  "too many requests",
  "access denied",
  "request entity too large",
  "method not allowed",
  "unauthorized",
  "forbidden",
  "not found",
] as const;
