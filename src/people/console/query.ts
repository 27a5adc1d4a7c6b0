/** `?host=pay.example.com&all=yes`; without fields that are empty, and empty if all are. */
export function toQuery(fields: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(fields).filter(([, value]) => value);
  const query = new URLSearchParams(given as [string, string][]).toString();
  return query === "" ? "" : `?${query}`;
}

/** A filter that has a value, as its field shows it; undefined: all. */
export function filterOf(query: URLSearchParams, name: string): string | undefined {
  return toFieldText(query.get(name) ?? "").trim() || undefined;
}

export function withQuery(
  path: string,
  query: URLSearchParams,
  changes: Readonly<Record<string, string | null>>,
): string {
  const changed = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) changed.delete(name);
    else changed.set(name, value);
  }
  return changed.size === 0 ? path : `${path}?${changed.toString()}`;
}

/** For a field that a person may change: without the characters that a screen would obey. */
export function toFieldText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "");
}
