/**
 * Ids of records in order, as `idAt` of batch.lua.ts reads them: one id of ten characters for all, or each id once, a
 * colon, and two hex digits for each record that are the place of its id. A batch of a hundred with ten kinds of failure
 * has 3 bytes a record. Undefined: one is not known.
 */
export function packIds<Name extends string>(
  records: readonly { readonly [Key in Name]?: string }[],
  name: Name,
): string | undefined {
  const places = new Map<string, string>();
  let all = "";
  for (const { [name]: id } of records) {
    if (id?.length !== 10) return undefined;
    const place = places.get(id) ?? places.size.toString(16).padStart(2, "0");
    places.set(id, place);
    all += place;
  }
  const ids = [...places.keys()].join("");
  return places.size > 1 ? `${ids}:${all}` : ids;
}
