/** The fields of HGETALL with their texts, as either protocol of Redis answers it. */
export function toHashEntries(
  reply: readonly string[] | Readonly<Record<string, string>>,
): readonly (readonly [field: string, text: string])[] {
  if (!Array.isArray(reply)) return Object.entries(reply as Readonly<Record<string, string>>);
  const flat = reply as readonly string[];
  return flat.flatMap((field, index) => (index % 2 === 0 ? [[field, flat[index + 1] ?? ""] as const] : []));
}
