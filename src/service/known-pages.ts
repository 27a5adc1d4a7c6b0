/**
 * What servers and proxies write of themselves where the service does not come to answer. Only these words of such a body are told,
 * in this spelling: the rest of it may repeat what was sent. The most telling first.
 */
const phrases = [
  "upstream connect error or disconnect/reset before headers",
  "no server is available to handle this request",
  "no healthy upstream",
  "no available server",
  "upstream request timeout",
  "application failed to respond",
  "web server is down",
  "origin is unreachable",
  "SSL handshake failed",
  "DNS resolution",
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

/** The first of them that a text has; null where it has none. */
export function findKnownPhrase(text: string): string | null {
  const lower = text.replace(/\s+/g, " ").toLowerCase();
  return phrases.find((phrase) => lower.includes(phrase.toLowerCase())) ?? null;
}
