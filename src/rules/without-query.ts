/** An address or pattern with `[set]` in place of its query, which may hold a key. */
export function withoutQuery(address: string): string {
  const at = address.indexOf("?");
  return at === -1 ? address : `${address.slice(0, at)}?[set]`;
}
