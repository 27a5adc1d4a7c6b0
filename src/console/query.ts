/** `?host=pay.example.com&all=yes`; without fields that are empty, and empty if all are. */
export function toQuery(fields: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(fields).filter(([, value]) => value);
  const query = new URLSearchParams(given as [string, string][]).toString();
  return query === "" ? "" : `?${query}`;
}
