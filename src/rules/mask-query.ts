/** An address or pattern with `[set]` in place of its query, which may have a key in it. */
export function maskQuery(address: string): string {
  const at = address.indexOf("?");
  return at === -1 ? address : `${address.slice(0, at)}?[set]`;
}
