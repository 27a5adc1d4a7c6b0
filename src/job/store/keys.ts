import type { SourceId, DrainName, PassId } from "../contracts/ids.ts";
import { sharedKey, sourceKey } from "../redis/key-prefix.ts";

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
    /** A batch's key is this and its token. */
    batchPrefix: `${key("ledger", "batch")}:`,
    /** An entry's key is this and the dlqId. */
    entryPrefix: `${key("ledger", "entry")}:`,
    /** What is published and not known to be delivered. */
    undelivered: key("undelivered"),
    pauses: key("pauses"),
    binding: key("binding"),
    copies: key("copies"),
    census: key("census"),
    failures: key("failures"),
    failureMarks: key("failure-marks"),
    notices: key("notices"),
    /** Records and moments of listing that have ended workers. */
    unworkable: key("unworkable"),
    /** A drain's row of passes is this and the drain's name. */
    passPrefix: `${key("passes")}:`,
  };
}

/** Which source ids are bound to an address. */
export function addressKey(keyPrefix: string, urlHash: string): string {
  return sharedKey(keyPrefix, "address", urlHash);
}

export function laneKeys(keyPrefix: string, sourceId: SourceId) {
  const key = (...parts: readonly string[]): string => sourceKey(keyPrefix, sourceId, "lanes", ...parts);
  return {
    /** Lanes by when they were last used, one index for each state. */
    canary: key("canary"),
    ramping: key("ramping"),
    open: key("open"),
    halted: key("halted"),
    /** Lanes by when they want something. */
    due: key("due"),
    /** When one of them was last written. */
    at: key("at"),
    /** Lanes by how many messages pages have asked them for. */
    records: key("records"),
    /** Canaries, come-backs and halts of all of them. */
    totals: key("totals"),
    /** Lanes with canaries that are not known to be delivered after their watch. */
    unknown: key("unknown"),
    /** Parents (short hashes) of canaries that were reported as delivered, by when. */
    delivered: key("delivered"),
    /** A lane's key is this and its id. */
    lanePrefix: `${key("lane")}:`,
    /** What a call answered, should it be sent again. */
    call: (id: string): string => key("call", id),
  };
}

/** Which source an account is drained as. */
export function accountKey(keyPrefix: string, urlHash: string, tokenHash: string): string {
  return sharedKey(keyPrefix, "account", urlHash, tokenHash);
}

/** What a target of notify was told of the incident in hand, and that a process sends to it. */
export function incidentKeys(keyPrefix: string, target: string) {
  const key = (part: string): string => sharedKey(keyPrefix, "notices", part, target);
  return { incident: key("incident"), sending: key("sending") };
}

/** Plans that the replicas share, in one slot. No source has keys that begin so. */
export function planKeys(keyPrefix: string) {
  const key = (...parts: readonly string[]): string => sharedKey(keyPrefix, "plans", "{plans}", ...parts);
  return {
    /** Plans by when they expire. */
    index: key("index"),
    /** A plan's key is this and its id. So are those of its summary and its lines. */
    planPrefix: `${key("plan")}:`,
    summaryPrefix: `${key("summary")}:`,
    linesPrefix: `${key("lines")}:`,
  };
}

/** The keys of one drain's limits and guards, all in the slot of its source. */
export function drainKeys(keyPrefix: string, sourceId: SourceId, drain: DrainName) {
  const key = (...parts: readonly string[]): string => sourceKey(keyPrefix, sourceId, ...parts);
  return {
    /** Grants of a rate, by its name. */
    rate: (name: string): string => key("limits", drain, "rate", name),
    /** What is learned of a host is this and the name of its rate. */
    autoPrefix: `${key("limits", drain, "auto")}:`,
    /** Hosts by when their last watch began. */
    autoHosts: key("limits", drain, "auto-hosts"),
    pass: (passId: PassId): string => key("limits", drain, "pass", passId),
    day: key("limits", drain, "day"),
    /** Marks that a give-back was done. */
    givenBack: (id: string): string => key("limits", drain, "given-back", id),
    /** The memory of a guard, by the hash of its name. */
    guard: (hash: string): string => key("guards", drain, hash),
  };
}
