import { formatProblem } from "../config/problem.ts";
import type { SecretReading } from "../config/read-secret.ts";
import { toLineageKey } from "../message/lineage.ts";
import type { SecretRef } from "../ports/drains.ts";
import { RedriverError } from "../ports/errors.ts";
import type { SourceId } from "../ports/ids.ts";

/** A secret that may change while the process runs. Only the current value is kept, in memory. */
export interface LiveSecret {
  value(): string;
  /** Reads it again; true when it changed. A secret that cannot be read keeps its last value. */
  reread(): boolean;
}

export type ReadSecret = (ref: SecretRef) => SecretReading;

/** Throws `settings-invalid` if the first reading fails; the message begins with `lack`. */
export function createLiveSecret(ref: SecretRef, read: ReadSecret, lack: string): LiveSecret {
  const first = read(ref);
  if (!first.ok) throw new RedriverError("settings-invalid", `${lack}: ${formatProblem(first.problem)}`);
  let current = first.value;
  return {
    value: () => current,
    reread() {
      const next = read(ref);
      if (!next.ok || next.value === current) return false;
      current = next.value;
      return true;
    },
  };
}

/**
 * The keys of a source's lineage: the one that signs first, then those that still verify. Each is made for
 * this source alone. A message that another source redrove is no come-back here, and its parent's dlqId means
 * another record.
 */
export function createLineageKeys(
  token: Pick<LiveSecret, "value">,
  fixed: { readonly key: string | undefined; readonly oldKeys: readonly string[] },
  sourceId: SourceId,
): () => readonly [string, ...string[]] {
  const derived = new Map<string, string>();
  const toKey = (secret: string): string => {
    const key = derived.get(secret) ?? toLineageKey(secret, sourceId);
    derived.set(secret, key);
    return key;
  };
  const old = fixed.oldKeys.map(toKey);
  return () => {
    const key = toKey(fixed.key ?? token.value());
    // Keys of earlier tokens of this process still verify, so that messages under way survive a rotation.
    return [key, ...new Set([...derived.values(), ...old].filter((other) => other !== key))];
  };
}
