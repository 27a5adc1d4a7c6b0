import { createHash } from "node:crypto";
import type { SourceId } from "../contracts/ids.ts";
import { sourceKey } from "../redis/key-prefix.ts";

/** Keys of one source that several files name. docs/redis.md says what is under each. */
export function sourceKeys(keyPrefix: string, sourceId: SourceId) {
  const key = (...parts: readonly string[]): string => sourceKey(keyPrefix, sourceId, ...parts);
  return {
    // The scripts of the ledger name its keys after this one (prelude.lua.ts).
    meta: key("ledger", "meta"),
    /** Of no key: nothing is ever written under it. */
    none: key("none"),
    open: key("ledger", "open"),
    pending: key("ledger", "pending"),
    failed: key("ledger", "failed"),
    parked: key("ledger", "parked"),
    openBatches: key("ledger", "open-batches"),
    pendingBatches: key("ledger", "pending-batches"),
    goneBatches: key("ledger", "gone-batches"),
    batchPrefix: `${key("ledger", "batch")}:`,
    entryPrefix: `${key("ledger", "entry")}:`,
    pauses: key("pauses"),
    failureMarks: key("failure-marks"),
    passPrefix: `${key("passes")}:`,
  };
}

/** For names of hosts, rules and guards: they may be long and hold anything. */
export function toShortHash(text: string, length = 22): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, length);
}
