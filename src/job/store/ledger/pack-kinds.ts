/**
 * Kinds of failure of records in order, as `kindAt` of batch.lua.ts reads them: one id of ten characters for all, or
 * each id once, a colon, and two hex digits for each record that are the place of its id. A batch of a hundred with
 * ten kinds has 3 bytes a record. Undefined: one is not known.
 */
export function packKinds(records: readonly { readonly failure?: string }[]): string | undefined {
  const places = new Map<string, string>();
  let all = "";
  for (const { failure } of records) {
    if (failure?.length !== 10) return undefined;
    const place = places.get(failure) ?? places.size.toString(16).padStart(2, "0");
    places.set(failure, place);
    all += place;
  }
  const ids = [...places.keys()].join("");
  return places.size > 1 ? `${ids}:${all}` : ids;
}
