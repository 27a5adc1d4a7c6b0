/** Fields and texts of a HGETALL, as either protocol of Redis answers it. */
export function toHashEntries(reply: unknown): readonly (readonly [field: string, text: string])[] {
  if (!Array.isArray(reply)) return Object.entries(reply as Record<string, string>);
  const flat = reply as readonly string[];
  return flat.flatMap((field, index) => (index % 2 === 0 ? [[field, flat[index + 1] ?? ""] as const] : []));
}
