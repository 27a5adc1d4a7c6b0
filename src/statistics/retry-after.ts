/** Without a usable header, a minute: the shortest schedule anybody needs for hourly statistics. */
const defaultWaitMs = 60_000;

/** A header that says more is not believed: the schedule asks again anyway. */
const maxWaitMs = 3_600_000;

/** Unix ms until which the service asks to be left alone, from a Retry-After header (RFC 9110 10.2.3: seconds or an HTTP date). */
export function retryAtOf(header: string | null, now: number): number {
  return now + Math.min(maxWaitMs, Math.max(0, waitMsOf(header?.trim() ?? "", now)));
}

function waitMsOf(header: string, now: number): number {
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  // An HTTP date is the one form Date.parse must read alike everywhere (ECMAScript, Date.prototype.toUTCString).
  const until = /^[A-Z][a-z]{2}, .* GMT$/.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(until) ? defaultWaitMs : until - now;
}
