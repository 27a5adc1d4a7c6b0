import type { SecretReading } from "../config/read-secret.ts";
import { toLineageKey } from "../message/lineage.ts";
import type { SecretRef } from "../ports/drains.ts";

/** A secret that may change while the process runs. Only the current value is kept, in memory. */
export interface LiveSecret {
  value(): string;
  /** Reads it again; true when it changed. A secret that cannot be read keeps its last value. */
  reread(): boolean;
}

export type ReadSecret = (ref: SecretRef) => SecretReading;

/** Answers the problem where the first reading fails. */
export function createLiveSecret(
  ref: SecretRef,
  read: ReadSecret,
): { readonly ok: true; readonly secret: LiveSecret } | Extract<SecretReading, { ok: false }> {
  const first = read(ref);
  if (!first.ok) return first;
  let current = first.value;
  return {
    ok: true,
    secret: {
      value: () => current,
      reread() {
        const next = read(ref);
        if (!next.ok || next.value === current) return false;
        current = next.value;
        return true;
      },
    },
  };
}

/** The keys of a source's lineage: the one that signs first, then those that still verify. */
export function createLineageKeys(
  token: LiveSecret,
  fixed: { readonly key: string | undefined; readonly oldKeys: readonly string[] },
): () => readonly [string, ...string[]] {
  const derived = new Map<string, string>();
  return () => {
    if (fixed.key !== undefined) return [fixed.key, ...fixed.oldKeys];
    const value = token.value();
    const key = derived.get(value) ?? toLineageKey(value);
    // Keys of earlier tokens of this process still verify, so that a rotation does not forget what is under way.
    derived.set(value, key);
    return [key, ...[...derived.values()].filter((other) => other !== key), ...fixed.oldKeys];
  };
}
