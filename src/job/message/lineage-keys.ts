import { toLineageKey } from "./lineage.ts";

/**
 * The keys of a source's lineage: the one that signs first, then those that still verify. Each is made for this source
 * alone. A message that another source redrove is no come-back here, and its parent's dlqId means another record.
 */
export function createLineageKeys(
  token: { value(): string },
  fixed: { readonly key: string | undefined; readonly oldKeys: readonly string[] },
  sourceId: string,
): () => readonly [string, ...string[]] {
  const derived = new Map<string, string>();
  const toKey = (secret: string): string => {
    const key = derived.get(secret) ?? toLineageKey(secret, sourceId);
    derived.set(secret, key);
    return key;
  };
  const old = fixed.oldKeys.map(toKey);
  const toKeys = (secret: string): readonly [string, ...string[]] => {
    const key = toKey(secret);
    return [key, ...new Set([...derived.values(), ...old].filter((other) => other !== key))];
  };
  let last: { readonly ofToken: string; readonly keys: readonly [string, ...string[]] } | null = null;
  return () => {
    const ofToken = token.value();
    // Each record asks for them.
    if (last?.ofToken !== ofToken) {
      // Keys of this process's tokens verify, so that messages under way survive a rotation, and the first fixed key.
      toKey(ofToken);
      last = { ofToken, keys: toKeys(fixed.key ?? ofToken) };
    }
    return last.keys;
  };
}
