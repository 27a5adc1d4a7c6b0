/**
 * Whether a body of the form `{"<name>": ["…"]}`, which was read as these ids, has its one key once. Parsing keeps the
 * last of several and drops the others unseen; but then there are more strings in the text than ids and one key.
 */
export function isSaidOnce(json: string, ids: readonly string[]): boolean {
  // Without its escapes, every quote in valid JSON begins or ends a string.
  const quotes = json.replaceAll(/\\./g, "").split('"').length - 1;
  return quotes === 2 * (1 + ids.length);
}
