/** The headers of a 429; `reset` is in unix seconds. */
export function limitHeaders(
  limit: "burst" | "daily",
  allowed: number,
  remaining: number,
  reset: number,
): Record<string, string> {
  const start = limit === "burst" ? "Burst-RateLimit" : "RateLimit";
  return {
    [`${start}-Limit`]: String(allowed),
    [`${start}-Remaining`]: String(remaining),
    [`${start}-Reset`]: String(reset),
  };
}
