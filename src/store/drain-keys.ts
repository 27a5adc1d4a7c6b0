import type { DrainName, PassId, SourceId } from "../ports/ids.ts";
import { sourceKey } from "../redis/key-names.ts";

/** The keys of one drain's limits and guards, all in the slot of its source. */
export function drainKeys(keyPrefix: string, sourceId: SourceId, drain: DrainName) {
  const key = (...parts: readonly string[]): string => sourceKey(keyPrefix, sourceId, ...parts);
  return {
    /** Grants of a rate, by its name. */
    rate: (name: string): string => key("limits", drain, "rate", name),
    pass: (passId: PassId): string => key("limits", drain, "pass", passId),
    day: key("limits", drain, "day"),
    /** Marks that a give-back was done. */
    givenBack: (id: string): string => key("limits", drain, "given-back", id),
    /** What a guard remembers, by the hash of its name. */
    guard: (hash: string): string => key("guards", drain, hash),
  };
}
