/**
 * What to say where nothing was found of a drain of this name and the document has none: it may be mistyped, or from before. Null where
 * there is nothing to say. `found`: how much was.
 */
export function unknownDrainNote(
  name: string | undefined,
  known: readonly string[],
  found: number,
): string | null {
  if (name === undefined || found > 0 || known.includes(name)) return null;
  const has = known.length === 0 ? "" : `; the document has ${known.join(", ")}`;
  return `nothing is known of a drain named ${JSON.stringify(name)}${has}\n`;
}
