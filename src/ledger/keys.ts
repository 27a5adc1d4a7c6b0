import type { SourceId } from "../ports/ids.ts";
import { sharedKey, sourceKey } from "../redis/key-names.ts";

/** The keys of one source, all in one slot. */
export function sourceKeys(keyPrefix: string, sourceId: SourceId) {
  const key = (...parts: readonly string[]): string => sourceKey(keyPrefix, sourceId, ...parts);
  return {
    meta: key("ledger", "meta"),
    open: key("ledger", "open"),
    pending: key("ledger", "pending"),
    failed: key("ledger", "failed"),
    parked: key("ledger", "parked"),
    /** An entry's key is this and the dlqId. */
    entryPrefix: `${key("ledger", "entry")}:`,
    pauses: key("pauses"),
    binding: key("binding"),
    copies: key("copies"),
    census: key("census"),
    /** A drain's row of passes is this and the drain's name. */
    passPrefix: `${key("passes")}:`,
  };
}

/** Which source ids are bound to an address. */
export function addressKey(keyPrefix: string, urlHash: string): string {
  return sharedKey(keyPrefix, "address", urlHash);
}

/** Which source an account is drained as. */
export function accountKey(keyPrefix: string, urlHash: string, tokenHash: string): string {
  return sharedKey(keyPrefix, "account", urlHash, tokenHash);
}
